// Functions of the program that run after a step, or after a failed one (the real engine's resource_hooks.go). A state has only
// their names: an operation that runs no program can call none of them.
import type {
  RegisterErrorHookRequest,
  RegisterResourceHookRequest,
  RegisterResourceRequest,
} from "@pulumi/pulumi/proto/resource_pb.js";
import { parseUrn } from "../urn.ts";
import type { Callbacks } from "./callbacks.ts";
import { type PropertyMap, toStruct } from "./propertyValues.ts";
import { resourceProto } from "./wire.ts";

export type StepHook = "AfterCreate" | "AfterUpdate";

/** Names of hooks, in the order in which they run. */
export type HookBindings = Partial<Record<StepHook | "OnError", string[]>>;

/** The arguments of a hook. */
export interface HookSubject {
  urn: string;
  id?: string | undefined;
  newInputs?: PropertyMap | undefined;
  oldInputs?: PropertyMap | undefined;
  newOutputs?: PropertyMap | undefined;
  oldOutputs?: PropertyMap | undefined;
}

/** @throws what the callback throws */
type AfterStep = (subject: HookSubject) => Promise<void>;

/** @returns whether the step is tried again */
type OnError = (subject: HookSubject, operation: string, errors: string[]) => Promise<boolean>;

export function readBindings(request: RegisterResourceRequest): HookBindings {
  const lists = request.getHooks();
  if (!lists) return {};
  const bindings: HookBindings = {
    AfterCreate: lists.getAfterCreateList(),
    AfterUpdate: lists.getAfterUpdateList(),
    OnError: lists.getOnErrorList(),
  };
  return Object.fromEntries(Object.entries(bindings).filter(([, names]) => names.length > 0));
}

/** Whether it uses any that this engine doesn't run. */
export function bindsOthers(request: RegisterResourceRequest): boolean {
  const lists = request.getHooks();
  return [
    lists?.getBeforeCreateList(),
    lists?.getBeforeUpdateList(),
    lists?.getBeforeDeleteList(),
    lists?.getAfterDeleteList(),
  ].some((names) => names !== undefined && names.length > 0);
}

export class Hooks {
  #callbacks: Callbacks;
  #dryRun: boolean;
  #afterStep = new Map<string, AfterStep>();
  #onError = new Map<string, OnError>();

  constructor(callbacks: Callbacks, dryRun: boolean) {
    this.#callbacks = callbacks;
    this.#dryRun = dryRun;
  }

  register(request: RegisterResourceHookRequest): void {
    if (request.getOnDryRun() || request.getIgnoreErrors()) {
      throw new Error("not supported by the test engine: onDryRun and ignoreErrors of a hook");
    }
    const name = this.#freeName(request.getName());
    const call = this.#callbacks.open(request.getCallback());
    this.#afterStep.set(name, async (subject) => {
      const bytes = describe(new resourceProto.ResourceHookRequest(), subject).serializeBinary();
      const answer = resourceProto.ResourceHookResponse.deserializeBinary(await call(bytes));
      if (answer.getError()) throw new Error(answer.getError());
    });
  }

  registerOnError(request: RegisterErrorHookRequest): void {
    const name = this.#freeName(request.getName());
    const call = this.#callbacks.open(request.getCallback());
    this.#onError.set(name, async (subject, operation, errors) => {
      const question = describe(new resourceProto.ErrorHookRequest(), subject);
      question.setFailedOperation(operation);
      question.setErrorsList(errors);
      const answer = resourceProto.ErrorHookResponse.deserializeBinary(
        await call(question.serializeBinary()),
      );
      if (answer.getError()) throw new Error(answer.getError());
      return answer.getRetry();
    });
  }

  /** @throws «after hook "name" failed: …» */
  async run(type: StepHook, bindings: HookBindings | undefined, subject: HookSubject): Promise<void> {
    if (this.#dryRun) return;
    for (const name of bindings?.[type] ?? []) {
      const hook = this.#afterStep.get(name);
      if (!hook) throw new Error(`hook "${name}" was not registered`);
      await hook(subject).catch((cause: unknown) => {
        throw new Error(`after hook "${name}" failed: ${(cause as Error).message}`, { cause });
      });
    }
  }

  /**
   * Calls all of them, also when the first has said yes.
   * @param errors of all attempts, the newest first
   */
  async wantsRetry(
    bindings: HookBindings | undefined,
    subject: HookSubject,
    operation: "create" | "update" | "delete",
    errors: string[],
  ): Promise<boolean> {
    let again = false;
    for (const name of bindings?.OnError ?? []) {
      const hook = this.#onError.get(name);
      if (!hook) throw new Error(`error hook "${name}" was not registered`);
      try {
        again = (await hook(subject, operation, errors)) || again;
      } catch (cause) {
        throw new Error(`error hook "${name}" failed: ${(cause as Error).message}`, { cause });
      }
    }
    return again;
  }

  #freeName(name: string): string {
    if (this.#afterStep.has(name) || this.#onError.has(name)) {
      throw new Error(`resource hook already registered for name "${name}"`);
    }
    return name;
  }
}

type Question = InstanceType<
  typeof resourceProto.ResourceHookRequest | typeof resourceProto.ErrorHookRequest
>;

function describe<Message extends Question>(question: Message, subject: HookSubject): Message {
  const { urn, id, newInputs, oldInputs, newOutputs, oldOutputs } = subject;
  const { type, name } = parseUrn(urn);
  question.setUrn(urn);
  question.setId(id ?? "");
  question.setName(name);
  question.setType(type);
  if (newInputs) question.setNewInputs(toStruct(newInputs));
  if (oldInputs) question.setOldInputs(toStruct(oldInputs));
  if (oldOutputs) question.setOldOutputs(toStruct(oldOutputs));
  if (newOutputs && "setNewOutputs" in question) question.setNewOutputs(toStruct(newOutputs));
  return question;
}
