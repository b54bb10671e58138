import { account, model, type TokenRow, token, tokenStatus } from '@sluice/contract'
import { useSearch } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { type Preload, prefetch } from '../../lib/preload.ts'
import { readOptions } from '../../lib/reads.ts'
import { useT } from '../../lib/t.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useRead } from '../../lib/use-call.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { ReadGate } from '../../ui/read-gate.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import type { Conversation } from './conversation.ts'
import { readKept } from './history.ts'
import { PlaygroundBones } from './playground-bones.tsx'
import { setupOf } from './read-setup.ts'
import { newConversation } from './use-conversation.ts'
import { Workbench } from './workbench.tsx'

/** The most tokens that may pay. */
const tokensMax = 100

const payers = { size: tokensMax, status: tokenStatus.enabled }

const freshMs = 60_000

export const preload: Preload = (client) => {
  prefetch(client, readOptions(token.list, payers))
  prefetch(client, readOptions(account.self, {}, { freshMs }))
  prefetch(client, readOptions(model.list, {}, { freshMs }))
}

/** Chats with the models of the gateway, as a client of it: one's own token pays, and nothing is stored but in this browser. */
export function PlaygroundPage() {
  const t = useT()
  const tokens = useRead(token.list, { input: payers, isPreloaded: true })
  const self = useRead(account.self, { input: {}, freshMs })
  if (tokens.data === undefined || self.data === undefined) {
    return (
      <Page title={t('playground.title')} lead={t('playground.lead')} action={<Skeleton className="h-8 w-40 touch:h-11" />}>
        <ReadGate<unknown> read={tokens.data === undefined ? tokens : self} isWide skeleton={<PlaygroundBones />}>
          {() => null}
        </ReadGate>
      </Page>
    )
  }
  return tokens.data.length === 0 ? <NoToken /> : <Opened account={self.data.id} tokens={tokens.data} />
}

function NoToken() {
  const t = useT()
  return (
    <Page title={t('playground.title')} lead={t('playground.lead')}>
      <div className="rounded-md border bg-surface">
        <EmptyState
          icon={<KeyRound />}
          title={t('playground.token.none')}
          text={t('playground.token.none.text')}
          action={
            <ButtonLink to="/token/add" look="primary">
              {t('playground.token.go')}
            </ButtonLink>
          }
        />
      </div>
    </Page>
  )
}

interface OpenedProps {
  readonly account: number
  readonly tokens: readonly TokenRow[]
}

/** The conversation of the address, or a new one. */
function Opened({ account: accountId, tokens }: OpenedProps) {
  const search = useSearch({ strict: false })
  const change = useAddress()
  const [model, id] = [String(search.model ?? ''), String(search.chat ?? '')]
  const [opened, setOpened] = useState<Conversation | null>(() => (id === '' ? newConversation({ model, tokens }) : null))
  const [text, setText] = useState('')
  useEffect(() => {
    if (id === '' || opened?.id === id) return
    let isCurrent = true
    readKept(accountId, id).then(
      (kept) => (isCurrent ? setOpened(kept ?? newConversation({ model: '', tokens })) : undefined),
      () => (isCurrent ? setOpened(newConversation({ model: '', tokens })) : undefined),
    )
    return () => {
      isCurrent = false
    }
  }, [accountId, id, opened, tokens])
  if (opened === null) return null
  return (
    <Workbench
      key={opened.id}
      account={accountId}
      tokens={tokens}
      start={opened}
      startText={text}
      onOpen={(chosen) => {
        setText('')
        if (chosen === null) setOpened(newConversation({ model: '', tokens }))
        change({ chat: chosen ?? undefined, model: undefined })
      }}
      onUse={(prompt) => {
        setText(prompt.text)
        setOpened({ ...newConversation({ model: '', tokens }), ...setupOf(prompt) })
        change({ chat: undefined, model: undefined })
      }}
    />
  )
}
