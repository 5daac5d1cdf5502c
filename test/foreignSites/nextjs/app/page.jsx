import Image from "next/image";
import lamp from "./lamp.png";
import { Switch } from "./switch";

export default function Start() {
  return (
    <>
      <h1>Lamp manual</h1>
      <Image src={lamp} alt="The lamp" placeholder="blur" width={160} height={160} />
      <Image src="/plan.svg" alt="Plan of the lamp" width={160} height={80} />
      <Switch />
    </>
  );
}
