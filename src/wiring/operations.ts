import type { Chronicle } from "../chronicle/chronicle.ts";
import type { ComposeOptions } from "./compose-options.ts";
import type { Speaker } from "../models/speaker.ts";
import type { Notices } from "../observe/notices.ts";
import { bindNotices } from "../observe/notices-operation.ts";
import { bindStatus } from "../observe/status.ts";
import { bindWhy } from "../observe/why-operation.ts";
import { bindConsoleCode } from "../operations/console-link.ts";
import type { Operations } from "../operations/operations.ts";
import { createOperations } from "../operations/operations.ts";
import { bindPause } from "../operations/pause.ts";
import type { Runtime } from "../operations/runtime-face.ts";
import { bindTrust } from "../operations/trust.ts";
import type { Store } from "../store/store.ts";
import { bindStoreOperations } from "./store-operations.ts";

/** Every operation of a running process (TR-009): bound here, declared by the folders that own them. */
export function bindOperations(
  options: ComposeOptions,
  floors: {
    store: Store;
    chronicle: Chronicle;
    speaker: Speaker;
    notices: Notices;
    addresses: () => Runtime["addresses"];
    issueConsoleCode: (untilUsed: boolean) => string;
  },
): Operations {
  const { store, speaker, addresses } = floors;
  const { clock } = options.floor;
  const { model } = speaker;
  return createOperations([
    bindWhy(store.read),
    bindNotices(floors.notices),
    bindStatus({
      clock,
      reader: store.read,
      facts: () => ({
        ...options.process,
        model: model.understudy ? null : model.name,
        rooms: addresses().room,
        console: addresses().console,
        stateDirectory: options.config.current().stateDirectory,
      }),
    }),
    bindConsoleCode({
      get url() {
        return addresses().console;
      },
      issue: () => floors.issueConsoleCode(false),
    }),
    ...bindStoreOperations(floors, clock),
    ...bindPause(
      {
        pauses: () => store.read.pauses(),
        pause: (row) => store.pause(row),
        unpause: (row) => store.unpause(row),
        characters: () => [...options.config.current().characters.keys()],
        surfaces: () => [...options.config.current().surfaces.keys()],
      },
      clock,
    ),
    ...bindTrust(
      {
        trust: (person) => store.read.trust(person),
        nameOf: (person) => store.read.member(person)?.name ?? null,
        setTrust: (row) => store.setTrust(row),
      },
      clock,
    ),
  ]);
}
