/** A request whose prompt and limit of output together exceed the context, in tokens. */
export interface ContextOverflow {
  readonly input: number
  readonly output: number
  readonly context: number
}

/** Anthropic, "Errors" (read 2026-11-22). */
const anthropicForm = /context limit: (\d{1,9}) \+ (\d{1,9}) > (\d{1,9})/

/** Text Generation Inference, and those who run it (huggingface/text-generation-inference 2301, read 2026-11-29). */
const inferenceForm = /must be <= (\d{1,9})\. Given: (\d{1,9}) `inputs` tokens and (\d{1,9})/

/** OpenAI, OpenRouter, vLLM, SGLang and others report it in sentences in which the numbers have these neighbors (read 2026-11-29). */
const contextForm = /maximum context length (?:is|of) (\d{1,9})/
const inputForm = /(\d{1,9}) (?:in the messages|tokens from the input|of text input|input tokens|in your prompt)/
const outputForms = [
  /(\d{1,9}) (?:in the completion|tokens for the completion|in the output|output tokens)/,
  /is too large: (\d{1,9})/,
] as const

/** Longest message that is searched, in characters. */
const searchedMax = 2_000

/** What a vendor's error says of the context; `null` = it says something else, or no numbers. */
export function contextOverflowIn(message: string): ContextOverflow | null {
  const text = message.slice(0, searchedMax)
  const [, input, output, context] = anthropicForm.exec(text) ?? []
  if (context !== undefined) return overflowOf(input, output, context)
  const [, most, prompt, limit] = inferenceForm.exec(text) ?? []
  if (most !== undefined) return overflowOf(prompt, limit, most)
  const tokens = outputForms.map((form) => form.exec(text)?.[1]).find((match) => match !== undefined)
  return overflowOf(inputForm.exec(text)?.[1], tokens, contextForm.exec(text)?.[1])
}

function overflowOf(input: string | undefined, output: string | undefined, context: string | undefined): ContextOverflow | null {
  if (input === undefined || output === undefined || context === undefined) return null
  const overflow = { input: Number(input), output: Number(output), context: Number(context) }
  return overflow.input + overflow.output > overflow.context ? overflow : null
}
