import type { JsonObject } from '../../core/json.ts'
import type { ResponseContext } from '../../core/response.ts'

/** Whether a block is the tool call that carries structured output. */
export function isOutputBlock(block: JsonObject, { unwrapTool }: ResponseContext): boolean {
  return unwrapTool !== undefined && block['type'] === 'tool_use' && block['name'] === unwrapTool
}

/**
 * The text beside structured output that a tool call carries: models write some before the call, and clients parse
 * all of it as JSON. It is for the client only where the model does not call the tool.
 */
export class TextBesideOutput {
  readonly #isHeld: boolean
  #text = ''
  #hasResult = false

  constructor({ unwrapTool }: ResponseContext) {
    this.#isHeld = unwrapTool !== undefined
  }

  /** What of a text is for the client now. */
  take(text: string): string {
    if (!this.#isHeld) return text
    if (!this.#hasResult) this.#text += text
    return ''
  }

  /** The tool is called. */
  setResult(): void {
    this.#hasResult = true
    this.#text = ''
  }

  /** The text so far, where another tool is called or the response ends. */
  rest(): string {
    const text = this.#text
    this.#text = ''
    return text
  }

  get isResponded(): boolean {
    return this.#hasResult
  }
}
