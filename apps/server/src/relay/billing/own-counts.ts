import type { Usage } from '@sluice/vendors/core/usage'
import { createLinearFit, type LinearFit } from '../../lib/linear-fit.ts'
import { createLru } from '../../lib/lru.ts'
import type { Caller } from '../model/caller.ts'
import { type Channel, modelAt } from '../model/channel.ts'
import type { RequestParams, TextPrompt } from '../model/request-params.ts'
import { messageTokens, responseTokens } from '../pricing/count-tokens.ts'
import type { TokenCounter } from '../pricing/token-counter.ts'

/** The request that is counted, and the channel that served it. */
interface Counted {
  readonly params: Pick<RequestParams, 'model' | 'promptTokens' | 'textPrompt' | 'choices'>
  readonly channel: Pick<Channel, 'id' | 'vendor' | 'mapping'> | null
  readonly caller: Pick<Caller, 'userId'>
}

/** Counts requests and responses whose vendor sent no usage. */
export interface OwnCounts {
  prompt(counted: Counted): number
  output(counted: Counted, text: string): Promise<number>
  /** Learns from a response with a vendor's usage. */
  learn(counted: Counted, usage: Usage, text: string): void
}

/** How a self-hosted server counts what one account sends to one of its models, compared with our count. */
interface Habits {
  readonly prompt: LinearFit
  readonly output: LinearFit
  /** Responses that were not counted here yet; they are counted when a count is needed. */
  readonly samples: Array<{ readonly text: string; readonly tokens: number }>
}

/** Accounts with their models that are kept, and responses of each: 8 MB at most. */
const habitsMax = 1_024
const samplesMax = 4
const sampleCharsMax = 2_000

/** A count that differs from ours by more than this factor is not explained by another tokenizer. */
const timesMax = 4
/** Tokens that a chat template may add to a prompt; with tools some add several hundred. */
const templateTokensMax = 1_000

/**
 * Self-hosted servers have unknown tokenizers and chat templates, and some report usage for whole responses but not for streams. Their counts
 * are learned per channel and model, so that a stream costs the same as a whole response, and per account: unusual texts, which take many tokens or few
 * of our count, then change nobody else's price.
 */
export function createOwnCounts(countTokens: TokenCounter['count']): OwnCounts {
  const known = createLru<string, Habits>(habitsMax)

  function habitsOf({ channel, caller, params: { model, textPrompt } }: Counted): Habits | null {
    if (channel?.vendor.isLegacyServer !== true || textPrompt === undefined) return null
    const isChat = textPrompt.messages > 0
    const key = `${caller.userId} ${channel.id} ${isChat ? 'chat' : 'text'} ${modelAt(channel, model)}`
    const habits = known.get(key) ?? newHabits(isChat)
    known.set(key, habits)
    return habits
  }

  return {
    prompt(counted) {
      const { promptTokens, textPrompt } = counted.params
      if (textPrompt === undefined) return promptTokens
      const fit = habitsOf(counted)?.prompt
      const standard = standardCount(textPrompt)
      return fit === undefined ? standard : within(standard, templateTokensMax, fit.predict(featuresOf(textPrompt)))
    },
    async output(counted, text) {
      const tokens = await countTokens(text, counted.params.model)
      const habits = habitsOf(counted)
      if (habits === null || tokens === 0) return tokens
      const samples = habits.samples.splice(0)
      const counts = await Promise.all(samples.map((sample) => countTokens(sample.text, counted.params.model)))
      for (const [index, sample] of samples.entries()) {
        const ours = counts[index] ?? 0
        if (within(ours, timesMax, sample.tokens) === sample.tokens) habits.output.learn([ours, 1], sample.tokens)
      }
      return within(tokens, timesMax, habits.output.predict([tokens, 1]))
    },
    learn(counted, { promptTokens, completionTokens }, text) {
      const { textPrompt, choices } = counted.params
      const habits = habitsOf(counted)
      if (habits === null || textPrompt === undefined) return
      if (within(standardCount(textPrompt), templateTokensMax, promptTokens) === promptTokens)
        habits.prompt.learn(featuresOf(textPrompt), promptTokens)
      if (text === '' || text.length > sampleCharsMax || choices > 1) return
      habits.samples.push({ text, tokens: completionTokens })
      if (habits.samples.length > samplesMax) habits.samples.shift()
    },
  }
}

function newHabits(isChat: boolean): Habits {
  return {
    prompt: createLinearFit([
      { value: 1, spread: 0.3 },
      { value: messageTokens, spread: 4 },
      { value: isChat ? responseTokens : 0, spread: isChat ? 30 : 10 },
    ]),
    output: createLinearFit([
      { value: 1, spread: 0.5 },
      { value: 0, spread: 2 },
    ]),
    samples: [],
  }
}

/** The features of the fit: tokens of the texts, number of messages, and a constant for the template around them. */
const featuresOf = ({ tokens, messages }: TextPrompt): readonly number[] => [tokens, messages, 1]

/** The count by OpenAI's rule for chats. */
function standardCount({ tokens, messages }: TextPrompt): number {
  return messages === 0 ? tokens : tokens + messages * messageTokens + responseTokens
}

/** Rounds the count and limits it to a plausible range around ours. */
function within(ours: number, added: number, count: number): number {
  return Math.min(ours * timesMax + added, Math.max(Math.ceil(ours / timesMax), Math.round(count)))
}
