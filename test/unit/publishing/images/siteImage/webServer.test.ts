import { expect, test } from "vitest";
import { EMPTY_BASE } from "../../../../../provider/publishing/images/siteImage/siteImage.ts";
import { webServerFiles } from "../../../../../provider/publishing/images/siteImage/webServer.ts";

const portsFor = (config: object): string[] => {
  const files = webServerFiles("site", { ...EMPTY_BASE, config: { config } });
  const [server, start] = files.map(({ content }) => content);
  const ports = [...(server ?? "").matchAll(/^ {2}listen (\d+);$/gm)].map(([, port = ""]) => port);
  for (const port of ports) expect(start).toContain(`listen [::]:${port};`);
  return ports;
};

test.each([
  [{ ExposedPorts: { "80/tcp": {} } }, ["80"]],
  [{ ExposedPorts: { "8080/tcp": {} }, User: "101" }, ["8080"]],
  [{ ExposedPorts: { "8443/tcp": {}, "9000": {}, "8080/tcp": {}, "53/udp": {} } }, ["8080", "9000"]],
  [{}, ["80"]],
  [{ User: "0:0" }, ["80"]],
  [{ User: "nginx" }, ["8080"]],
  [{ ExposedPorts: { "443/tcp": {} }, User: "65532" }, ["8080"]],
])("an image with %j listens on %j", (config, ports) => {
  expect(portsFor(config)).toEqual(ports);
});

test("the start script is executable: nginx images ignore others", () => {
  const [, start] = webServerFiles("site", EMPTY_BASE);
  expect(start).toMatchObject({
    isExecutable: true,
    content: expect.stringMatching(/^#!\/bin\/sh\n/) as string,
  });
});
