/** The flat tools, as the person calls them: ungated, recorded like anyone's. */
import type { Call } from "./call";
import type { Tools } from "./types";

/** A tool's answer; its refusal is thrown as `Refused`. */
export async function tool<N extends keyof Tools>(
  call: Call,
  name: N,
  takes: Tools[N]["takes"],
): Promise<Tools[N]["answers"]> {
  return (await call("tool", { name, arguments: takes as Record<string, unknown> })) as Tools[N]["answers"];
}
