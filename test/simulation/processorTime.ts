/**
 * Milliseconds of processor time that this process has used, its other threads included. Measures work, however busy the machine is:
 * differences of it do not grow with the load, as those of a clock do.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
