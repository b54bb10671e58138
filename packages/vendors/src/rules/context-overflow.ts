/** A request whose prompt and limit of output together exceed the context, in tokens. */
export interface ContextOverflow {
  readonly input: number
  readonly output: number
  readonly context: number
}

// A count of tokens. Longer numbers are no counts.
const count = String.raw`(\d{1,9})(?!\d)`

const forms = {
  /** Anthropic, "Errors" (read 2026-11-22). */
  anthropic: new RegExp(String.raw`context limit: ${count} \+ ${count} > ${count}`),
  /** Text Generation Inference, and those who run it (huggingface/text-generation-inference 2301, read 2026-11-29). */
  inference: new RegExp(String.raw`must be <= ${count}\. Given: ${count} \`inputs\` tokens and ${count}`),
}

/** OpenAI, DeepSeek, OpenRouter, vLLM and SGLang tell it in sentences whose numbers have these neighbours (read 2026-11-29). */
const sentences = {
  context: new RegExp(String.raw`maximum context length (?:is|of) ${count}`),
  input: new RegExp(String.raw`(?<!\d)${count} (?:in the messages|tokens from the input|of text input|input tokens|in your prompt)`),
  output: [
    new RegExp(String.raw`(?<!\d)${count} (?:in the completion|tokens for the completion|in the output|output tokens)`),
    new RegExp(String.raw`is too large: ${count}`),
  ],
} as const

/** Longest message that is searched, in characters. */
const searchedMax = 2_000

/** What a vendor's error says of the context; `null` = it says something else, or no numbers. */
export function contextOverflowIn(message: string): ContextOverflow | null {
  const text = message.slice(0, searchedMax)
  const [, input, output, context] = forms.anthropic.exec(text) ?? []
  if (context !== undefined) return overflowOf(input, output, context)
  const [, most, prompt, limit] = forms.inference.exec(text) ?? []
  if (most !== undefined) return overflowOf(prompt, limit, most)
  const tokens = sentences.output.map((form) => form.exec(text)?.[1]).find((found) => found !== undefined)
  return overflowOf(sentences.input.exec(text)?.[1], tokens, sentences.context.exec(text)?.[1])
}

function overflowOf(input: string | undefined, output: string | undefined, context: string | undefined): ContextOverflow | null {
  if (input === undefined || output === undefined || context === undefined) return null
  const overflow = { input: Number(input), output: Number(output), context: Number(context) }
  return overflow.input + overflow.output > overflow.context ? overflow : null
}
