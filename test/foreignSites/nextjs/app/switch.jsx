"use client";
import { useState } from "react";

export function Switch() {
  const [on, setOn] = useState(false);
  return <button onClick={() => setOn(!on)}>The lamp is {on ? "on" : "off"}</button>;
}
