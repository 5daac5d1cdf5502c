export interface ServiceAnswer {
  status: number;
  body: Record<string, unknown>;
}

export type ServiceCall = (method: string, path: string, body?: unknown) => Promise<ServiceAnswer>;

export const JOBS = "/v1/static-export/jobs";

/**
 * Calls of the service's API as any client makes them.
 *
 * @param adminApiKey none is sent where it is empty
 */
export function serviceCalls(url: string, adminApiKey: string): ServiceCall {
  return async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(adminApiKey !== "" && { authorization: `Bearer ${adminApiKey}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
}
