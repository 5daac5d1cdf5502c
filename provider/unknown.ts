/**
 * What Pulumi sends in previews for a value of any type that is not known yet, see `UnknownStringValue` in
 * https://github.com/pulumi/pulumi/blob/master/sdk/go/common/resource/plugin/rpc.go
 */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Whether a value is not known before the update runs. */
export function isUnknown(value: unknown): boolean {
  return value === UNKNOWN;
}
