import { type Clock, systemClock } from "../../provider/base/runtime/time/clock.ts";

/** The machine's clock, with no pause before another attempt: limits stay what they are, however busy the machine is. */
export const noPauses: Clock = { ...systemClock, random: () => 0 };
