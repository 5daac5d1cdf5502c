export const metadata = { title: "Installing" };

export default function Install() {
  return (
    <>
      <h1>Installing</h1>
      <p>Turn the power off, screw the socket to the ceiling, and put the bulb in.</p>
    </>
  );
}
