import type { TokenRow } from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { randomId } from '../../lib/random-id.ts'
import { invalidateUsage } from '../../lib/reads.ts'
import { storage } from '../../lib/storage.ts'
import { bodyOf } from './chat-request.ts'
import {
  type Attachment,
  before,
  type Conversation,
  newCompletion,
  withCompletions,
  withNewest,
  withoutLane,
  withTurn,
} from './conversation.ts'
import { keep } from './history.ts'
import { readObject, readSetup, type Setup, setupOf } from './read-setup.ts'
import { runCompletion } from './run-completion.ts'
import { valuesIn } from './variables.ts'

interface ConversationSpec {
  readonly account: number
  readonly tokens: readonly TokenRow[]
  readonly start: Conversation
  /** Called when the history of the account has changed. */
  readonly onKept: () => void
}

/** What is chosen for the requests of a conversation. */
export type Choice = Pick<Conversation, 'tokenId'> & Setup

export interface RunningConversation {
  readonly conversation: Conversation
  /** Changes the token, the models or the parameters; running completions continue as they were requested. */
  readonly set: (change: Partial<Choice>) => void
  readonly removeLane: (lane: number) => void
  /** Asks every model. */
  readonly send: (text: string, attachments: readonly Attachment[]) => void
  /** Asks again from a prompt on, with another text; what came after it is dropped. */
  readonly edit: (turnId: string, text: string) => void
  /** Asks a model once more for its newest response. */
  readonly retry: (lane: number) => void
  /** Gives a model the results of the functions that it called, and asks it to go on. */
  readonly responseCalls: (lane: number, results: Readonly<Record<string, string>>) => void
  /** Ends all running responses; what arrived is kept. */
  readonly stop: () => void
}

const chosenKey = 'ui-playground'

/** One conversation, and the responses that run in it. Mount it anew for another conversation. */
export function useConversation({ account, tokens, start, onKept }: ConversationSpec): RunningConversation {
  const client = useQueryClient()
  const [conversation, show] = useState(start)
  // Chunks arrive outside of renders, and each continues from the state that the previous one left.
  const latest = useRef(start)
  const running = useRef(new Set<AbortController>())
  const change = useCallback((next: (now: Conversation) => Conversation) => {
    latest.current = next(latest.current)
    show(latest.current)
  }, [])
  const store = useCallback(async () => {
    change((now) => ({ ...now, updatedMs: Date.now() }))
    if (latest.current.turns.length === 0) return
    // Without a database the page has no history.
    await keep(account, latest.current).catch(() => undefined)
    onKept()
  }, [account, change, onKept])
  const stop = useCallback(() => {
    for (const controller of running.current) controller.abort()
  }, [])
  // The page is left: what arrived so far is kept.
  useEffect(() => stop, [stop])

  const ask = async (lane: number): Promise<void> => {
    const { models, tokenId } = latest.current
    const body = bodyOf(latest.current, lane)
    const key = tokens.find(({ id }) => id === tokenId)?.key ?? ''
    const controller = new AbortController()
    running.current.add(controller)
    change((now) => withCompletions(now, lane, (completions) => [...completions, newCompletion(models[lane] ?? '', Date.now())]))
    await runCompletion({
      ...{ key, body, signal: controller.signal, nowMs: Date.now },
      // A response whose prompt was edited meanwhile must not end in the place of the new one.
      onChange: (next) => (running.current.has(controller) ? change((now) => withNewest(now, lane, next)) : undefined),
    })
    running.current.delete(controller)
    invalidateUsage(client)
    await store()
  }
  const askAll = () => {
    storage.writeJson(chosenKey, choiceOf(latest.current))
    void store()
    for (const lane of latest.current.models.keys()) void ask(lane)
  }
  return {
    conversation,
    stop,
    set: (changed) => change((now) => ({ ...now, ...changed })),
    removeLane: (lane) => change((now) => withoutLane(now, lane)),
    send: (text, attachments) => {
      change((now) => withTurn(now, { id: randomId(), text, values: valuesIn([text], now.variables), attachments }))
      askAll()
    },
    edit: (turnId, text) => {
      const attachments = latest.current.turns.find(({ id }) => id === turnId)?.attachments ?? []
      stop()
      running.current.clear()
      change((now) => withTurn(before(now, turnId), { id: randomId(), text, values: valuesIn([text], now.variables), attachments }))
      askAll()
    },
    retry: (lane) => {
      change((now) => withCompletions(now, lane, (completions) => completions.slice(0, -1)))
      void ask(lane)
    },
    responseCalls: (lane, results) => {
      change((now) => withNewest(now, lane, (completion) => ({ ...completion, results })))
      void ask(lane)
    },
  }
}

const choiceOf = (conversation: Conversation): Choice => ({ tokenId: conversation.tokenId, ...setupOf(conversation) })

/** An empty conversation with what was chosen last; a model of the address comes first. */
export function newConversation({ model, tokens }: { readonly model: string; readonly tokens: readonly TokenRow[] }): Conversation {
  const stored = storedChoice()
  const token = tokens.find(({ id }) => id === stored.tokenId) ?? tokens[0]
  return {
    ...{ id: randomId(), updatedMs: Date.now(), turns: [], ...stored },
    tokenId: token?.id ?? 0,
    ...(model !== '' && { models: [model], own: [] }),
  }
}

/** What was chosen last; another version of this page, or another program, may have written something else there. */
function storedChoice(): Choice {
  const stored = readObject(storage.readJson(chosenKey))
  const tokenId = stored['tokenId']
  return { tokenId: typeof tokenId === 'number' ? tokenId : 0, ...readSetup(stored) }
}
