/**
 * Every failure the runtime names. One line a code; the list is pinned by `test/architecture/error-codes.test.ts`.
 * A caller branches on returned unions; it catches a code only where the environment or a contract broke.
 */
export const ERROR_CODES = {
  aborted: "The owner of the work cancelled it.",
  deadline: "The work took longer than its deadline.",
  join_timeout: "Tasks did not end within the join time after they were cancelled.",
  capacity: "A bounded queue, table or channel is full.",
  closed: "The part was used after its owner had ended it.",
  forged: "A value that only one module may mint came from elsewhere.",
  invalid_argument: "A value is outside the documented bounds of the function it was given to.",
  config_missing: "A configuration file that was named does not exist or is no regular file.",
  config_invalid: "The configuration breaks a rule; the message names path, line and column.",
  secret_invalid: "A secret is missing, too short, too long or holds line breaks.",
  state_unwritable: "The state folder or a file in it cannot be written.",
  state_busy: "Another running process holds the state folder.",
  state_newer: "The database was written by a newer version.",
  state_older: "The database is an older copy than the folder knows.",
  state_corrupt: "The database or a file of the state folder is damaged.",
  disk_full: "The disk, or the database's page limit, is full.",
  port_in_use: "A port that must be opened is taken.",
  model_refused_redirect: "The model server answered with a redirect; it was not followed.",
  model_too_large: "The model server's body, line or answer is over its bound.",
  model_status: "The model server answered that it failed.",
  model_rejected: "The model server refused the question: its key, its model or its form.",
  model_rate_limited: "The model server asked to wait.",
  model_cut: "The model server's stream ended before the answer was whole.",
  model_unreachable: "The model server cannot be reached.",
  model_malformed: "The model server's answer is not of the agreed shape.",
  model_empty: "The model server answered without any text.",
  model_declined: "The model or its server declined to answer.",
  model_window: "The question does not fit into the model's window, also after it was made shorter.",
  budget_spent: "The money or the calls of the day are used up; nothing was sent.",
  turn_ceiling: "A turn with tools reached the bound of its requests, its calls or its repeats.",
  truncated_by_host: "The model's host read less than it was sent; the answer was not used.",
  model_format: "The model's answer keeps no accepted format, also after it was asked once more.",
  packet_leak: "A packet held text that nothing accounts for; nothing was sent, and that character's voice is stopped.",
  not_running: "No running process answers on the state folder's socket.",
  not_found: "Nothing stands under that name, or it is not yours to see.",
  forbidden: "The caller may not do this here.",
  usage: "A command was called with arguments it does not take.",
  internal: "The runtime broke a rule of its own; this is a bug.",
} as const;

/** Name of a failure; the words beside it in {@link ERROR_CODES} say what happened. */
export type ErrorCode = keyof typeof ERROR_CODES;

/**
 * The one error class that is thrown on purpose. `message` reads "Cannot <do>: <why>" and never holds user text, secrets or
 * text of a backend (MC-090); `cause` keeps the original for a debugger, and no log or face prints it.
 */
export class RuntimeError extends Error {
  override readonly name = "RuntimeError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Tell whether a caught value is a {@link RuntimeError}, of that code when one is given. */
export function isRuntimeError(value: unknown, code?: ErrorCode): value is RuntimeError {
  return value instanceof RuntimeError && (code === undefined || value.code === code);
}

/** Give the code of whatever was caught: `internal` for what is no {@link RuntimeError}. */
export function codeOf(value: unknown): ErrorCode {
  return value instanceof RuntimeError ? value.code : "internal";
}
