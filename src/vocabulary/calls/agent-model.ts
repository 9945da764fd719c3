import type { ModelAnswer, ModelRequest, WindowExceeded } from "../model.ts";

/** A tool as a model is told of it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments: an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A call a model asks for. It is a wish: nothing of it is checked or done. */
export interface ToolCall {
  /** Names the call within its conversation. */
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it; may be no JSON at all. */
  readonly arguments: string;
}

/** One message of an agent's conversation. */
export type AgentMessage =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly ToolCall[] }
  /** What came of a call that the assistant's last message asked for. */
  | { readonly role: "tool"; readonly call: string; readonly name: string; readonly text: string; readonly failed: boolean };

/** A piece of an answer as it comes. `begin` stands before the first, and again where a host is asked once more. */
export type GenerationPiece = { readonly kind: "begin" } | { readonly kind: "text" | "thinking"; readonly text: string };

/** A request of the voice that has tools. */
export interface AgentRequest extends Omit<ModelRequest, "prompt"> {
  /** Told of each piece as it comes; must not throw. Nothing of it is sent. */
  readonly heard?: (piece: GenerationPiece) => void;
  readonly messages: readonly AgentMessage[];
  readonly tools: readonly ModelTool[];
}

/** An answer that may ask for calls; with calls, `text` may be empty. */
export interface AgentAnswer extends ModelAnswer {
  readonly calls: readonly ToolCall[];
}

/** The port of a voice with tools, behind the same hosts. The responder never holds one. */
export interface AgentModel {
  /** `host/model` of the first in the list. */
  readonly name: string;
  /** Like `Model.generate`, with a conversation and tools. */
  converse(request: AgentRequest, signal: AbortSignal): Promise<AgentAnswer | WindowExceeded>;
}
