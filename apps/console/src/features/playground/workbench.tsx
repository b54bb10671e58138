import { type ModelRow, model, type TokenRow } from '@sluice/contract'
import { Bookmark, Code2, History, Settings2, SquarePen } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react'
import { useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import { useIsPhone, useMedia } from '../../lib/use-media.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { countFaults } from './chat-request.ts'
import { CodeSheet } from './code-sheet.tsx'
import { Composer } from './composer.tsx'
import { type Conversation, isRunning, isWaitingForResults, parametersOf } from './conversation.ts'
import { HistorySheet } from './history-sheet.tsx'
import { setupOf } from './read-setup.ts'
import type { SavedPrompt } from './saved-prompts.ts'
import { SettingsPanel } from './settings-panel.tsx'
import { Turns } from './turns.tsx'
import { useConversation } from './use-conversation.ts'
import { VariableFields } from './variable-fields.tsx'
import { variablesIn } from './variables.ts'

const Prompts = lazy(async () => ({ default: (await import('./prompts-sheet.tsx')).Prompts }))

interface WorkbenchProps {
  readonly account: number
  readonly tokens: readonly TokenRow[]
  readonly start: Conversation
  /** What is typed at first. */
  readonly startText: string
  /** Opens another conversation; `null` = a new one. */
  readonly onOpen: (id: string | null) => void
  /** Begins a conversation with a saved prompt. */
  readonly onUse: (prompt: SavedPrompt) => void
}

type OpenSheet = 'history' | 'prompts' | 'code' | 'settings' | null

const noModels: readonly ModelRow[] = []

/** A conversation with its settings at its side; on a screen that is too narrow for both, the settings are in a sheet. */
export function Workbench({ account, tokens, start, startText, onOpen, onUse }: WorkbenchProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const isNarrow = useMedia('(max-width: 1023px)')
  const [sheet, setSheet] = useState<OpenSheet>(null)
  const [text, setText] = useState(startText)
  const [keptCount, setKeptCount] = useState(0)
  const onKept = useCallback(() => setKeptCount((count) => count + 1), [])
  const running = useConversation({ account, tokens, start, onKept })
  const { conversation } = running
  const { data: models = noModels, isPending } = useRead(model.list, { input: {}, freshMs: 60_000 })
  const close = () => setSheet(null)
  const panel = <SettingsPanel conversation={conversation} tokens={tokens} models={models} running={running} />
  const systems = conversation.models.map((_, lane) => parametersOf(conversation, lane).system)
  return (
    <Page
      title={t('playground.title')}
      lead={t('playground.lead')}
      action={
        <div className="flex flex-wrap gap-2 max-sm:-mr-2.5 max-sm:gap-0">
          {isNarrow ? (
            <ToolButton
              icon={<Settings2 aria-hidden className="size-4" />}
              label={t('playground.settings')}
              onClick={() => setSheet('settings')}
            />
          ) : null}
          <ToolButton icon={<Code2 aria-hidden className="size-4" />} label={t('playground.code')} onClick={() => setSheet('code')} />
          <ToolButton
            icon={<Bookmark aria-hidden className="size-4" />}
            label={t('playground.prompts')}
            onClick={() => setSheet('prompts')}
          />
          <ToolButton
            icon={<History aria-hidden className="size-4" />}
            label={t('playground.history')}
            onClick={() => setSheet('history')}
          />
          {isPhone ? (
            <ToolButton icon={<SquarePen aria-hidden className="size-4" />} label={t('playground.new')} onClick={() => onOpen(null)} />
          ) : (
            <Button look="primary" onClick={() => onOpen(null)}>
              <SquarePen aria-hidden className="size-4" />
              {t('playground.new')}
            </Button>
          )}
        </div>
      }
    >
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_19rem]">
        <div className="flex min-h-[calc(100dvh-15.5rem)] min-w-0 flex-col">
          <Turns conversation={conversation} tokens={tokens} models={models} running={running} />
          <Composer
            text={text}
            onText={setText}
            variables={
              <VariableFields
                names={variablesIn([...systems, text])}
                values={conversation.variables}
                onChange={(variables) => running.set({ variables })}
              />
            }
            isRunning={isRunning(conversation)}
            isWaiting={isWaitingForResults(conversation)}
            models={conversation.models}
            onModels={isNarrow ? () => setSheet('settings') : null}
            hasModel={conversation.models.every((name) => name !== '')}
            faults={countFaults(conversation)}
            speechToText={{ tokens, tokenId: conversation.tokenId, models }}
            onSend={running.send}
            onStop={running.stop}
          />
        </div>
        {isNarrow ? null : <div className="sticky top-4">{panel}</div>}
      </div>
      {isNarrow ? (
        <Sheet title={t('playground.settings')} side={isPhone ? 'bottom' : 'right'} isOpen={sheet === 'settings'} onClose={close}>
          {panel}
        </Sheet>
      ) : null}
      <Sheet title={t('playground.prompts')} side="right" isOpen={sheet === 'prompts'} onClose={close}>
        <Suspense>
          <Prompts
            account={account}
            present={{ ...setupOf(conversation), text: text || (conversation.turns.at(-1)?.text ?? '') }}
            onUse={onUse}
          />
        </Suspense>
      </Sheet>
      <CodeSheet conversation={conversation} draft={text} isOpen={sheet === 'code'} onClose={close} />
      <HistorySheet
        {...{ account, keptCount, conversation, isOpen: sheet === 'history', onClose: close }}
        onOpen={(id) => {
          close()
          onOpen(id)
        }}
      />
      <p role="status" className="sr-only">
        {isPending ? t('playground.models.loading') : ''}
      </p>
    </Page>
  )
}

interface ToolButtonProps {
  readonly icon: ReactNode
  readonly label: string
  readonly onClick: () => void
}

/** On phones only the icon, so that all tools fit beside the title. */
function ToolButton({ icon, label, onClick }: ToolButtonProps) {
  const isPhone = useIsPhone()
  if (isPhone) {
    return (
      <IconButton label={label} onClick={onClick}>
        {icon}
      </IconButton>
    )
  }
  return (
    <Button onClick={onClick}>
      <span className="text-muted">{icon}</span>
      {label}
    </Button>
  )
}
