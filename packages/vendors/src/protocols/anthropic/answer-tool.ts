import type { JsonObject } from '../../core/json.ts'
import type { ReplyContext } from '../../core/response.ts'

/** Whether a block is the tool call that carries a structured answer. */
export function isAnswer(block: JsonObject, { unwrapTool }: ReplyContext): boolean {
  return unwrapTool !== undefined && block['type'] === 'tool_use' && block['name'] === unwrapTool
}

/**
 * The text of an answer that a tool carries: models write some before the call, and clients parse all of it as JSON. It is for the client only where
 * the model does not call the tool.
 */
export class TextBesideAnswer {
  readonly #isHeld: boolean
  #text = ''
  #isAnswered = false

  constructor({ unwrapTool }: ReplyContext) {
    this.#isHeld = unwrapTool !== undefined
  }

  /** What of a text is for the client now. */
  take(text: string): string {
    if (!this.#isHeld) return text
    if (!this.#isAnswered) this.#text += text
    return ''
  }

  /** The tool is called. */
  answer(): void {
    this.#isAnswered = true
    this.#text = ''
  }

  /** The text so far, where another tool is called or the answer ends. */
  rest(): string {
    const text = this.#text
    this.#text = ''
    return text
  }

  get isAnswered(): boolean {
    return this.#isAnswered
  }
}
