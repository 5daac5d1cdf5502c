// Functions of the program that run before and after a step, or when one has failed (the real engine's
// resource_hooks.go). A state keeps their names only: an operation that runs no program knows none of them.
import type {
  RegisterErrorHookRequest,
  RegisterResourceHookRequest,
  RegisterResourceRequest,
} from "@pulumi/pulumi/proto/resource_pb.js";
import { parseUrn } from "../urn.ts";
import type { Callbacks } from "./callbacks.ts";
import { toStruct, type PropertyMap } from "./propertyValues.ts";
import type { Report } from "./report.ts";
import { resourceProto } from "./wire.ts";

export type StepHook =
  "BeforeCreate" | "AfterCreate" | "BeforeUpdate" | "AfterUpdate" | "BeforeDelete" | "AfterDelete";

/** Names of hooks, in the order in which they run. */
export type HookBindings = Partial<Record<StepHook | "OnError", string[]>>;

/** What a hook is told. */
export interface HookSubject {
  urn: string;
  id?: string | undefined;
  newInputs?: PropertyMap | undefined;
  oldInputs?: PropertyMap | undefined;
  newOutputs?: PropertyMap | undefined;
  oldOutputs?: PropertyMap | undefined;
}

interface AroundStep {
  onDryRun: boolean;
  ignoreErrors: boolean;
  /** @throws what the callback throws */
  run(subject: HookSubject): Promise<void>;
}

/** @returns whether the step is to be tried again */
type OnError = (subject: HookSubject, operation: string, errors: string[]) => Promise<boolean>;

export function readBindings(request: RegisterResourceRequest): HookBindings {
  const lists = request.getHooks();
  if (!lists) return {};
  const bindings: HookBindings = {
    BeforeCreate: lists.getBeforeCreateList(),
    AfterCreate: lists.getAfterCreateList(),
    BeforeUpdate: lists.getBeforeUpdateList(),
    AfterUpdate: lists.getAfterUpdateList(),
    BeforeDelete: lists.getBeforeDeleteList(),
    AfterDelete: lists.getAfterDeleteList(),
    OnError: lists.getOnErrorList(),
  };
  return Object.fromEntries(Object.entries(bindings).filter(([, names]) => names.length > 0));
}

export class Hooks {
  #callbacks: Callbacks;
  #report: Report;
  #dryRun: boolean;
  #aroundSteps = new Map<string, AroundStep>();
  #onError = new Map<string, OnError>();

  constructor(callbacks: Callbacks, report: Report, dryRun: boolean) {
    this.#callbacks = callbacks;
    this.#report = report;
    this.#dryRun = dryRun;
  }

  register(request: RegisterResourceHookRequest): void {
    const name = this.#freeName(request.getName());
    const call = this.#callbacks.open(request.getCallback());
    this.#aroundSteps.set(name, {
      onDryRun: request.getOnDryRun(),
      ignoreErrors: request.getIgnoreErrors(),
      async run(subject) {
        const bytes = describe(new resourceProto.ResourceHookRequest(), subject).serializeBinary();
        const answer = resourceProto.ResourceHookResponse.deserializeBinary(await call(bytes));
        if (answer.getError()) throw new Error(answer.getError());
      },
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

  /** @throws «before hook "name" failed: …», unless the hook's own option ignores that */
  async run(type: StepHook, bindings: HookBindings | undefined, subject: HookSubject): Promise<void> {
    for (const name of bindings?.[type] ?? []) {
      const hook = this.#aroundSteps.get(name);
      if (!hook) throw new Error(`hook "${name}" was not registered`);
      if (this.#dryRun && !hook.onDryRun) continue;
      try {
        await hook.run(subject);
      } catch (error) {
        const { message } = error as Error;
        const when = type.startsWith("Before") ? "before" : "after";
        if (!hook.ignoreErrors)
          throw new Error(`${when} hook "${name}" failed: ${message}`, { cause: error });
        const warning = `${type} hook "${name}" failed: ${message}`;
        this.#report.log({ severity: "warning", message: warning, urn: subject.urn });
      }
    }
  }

  /**
   * All of them are asked, also when the first has said yes.
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
    if (name === "") throw new Error("resource hook name cannot be empty");
    if (this.#aroundSteps.has(name) || this.#onError.has(name)) {
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
