import { X } from 'lucide-react'
import { useState } from 'react'
import { explain, isGone } from '../../lib/api.ts'
import { usePageCommands } from '../../lib/page-commands.ts'
import type { BulkResult } from '../../lib/run-bulk.ts'
import { useT } from '../../lib/t.ts'
import { Button, IconButton } from '../button.tsx'
import { ConfirmDialog } from '../dialog.tsx'
import { ProgressBar } from '../progress-bar.tsx'
import type { BulkAction, BulkRun, Question } from './actions.ts'
import { type Bulk, useBulk } from './use-bulk.ts'
import type { Selection } from './use-selection.ts'

interface BulkBarProps<Row> {
  /** The noun of the rows. */
  readonly list: string
  readonly selection: Selection<Row>
  readonly actions: readonly BulkAction<Row>[]
  readonly nameOf: (row: Row) => string
}

/** Shown at the bottom while rows are selected, while an action runs, and until its failures are dismissed. */
export function BulkBar<Row extends { readonly id: number }>({ list, selection, actions, nameOf }: BulkBarProps<Row>) {
  const t = useT()
  const bulk = useBulk(list, selection)
  const count = selection.rows.length
  return (
    <>
      {/* Rendered before the first row is selected, so that screen readers announce each count. */}
      <span role="status" className="sr-only">
        {count === 0 ? '' : t('list.selected', { count })}
      </span>
      {bulk.state.kind === 'idle' && count === 0 ? null : <Bar selection={selection} actions={actions} nameOf={nameOf} bulk={bulk} />}
    </>
  )
}

function Bar<Row extends { readonly id: number }>({
  selection,
  actions,
  nameOf,
  bulk,
}: ChoiceProps<Row> & Pick<BulkBarProps<Row>, 'nameOf'>) {
  const t = useT()
  return (
    <section
      aria-label={t('bulk.label')}
      className="sticky bottom-3 z-20 mt-3 rounded-md border border-accent/40 bg-surface px-3 py-2 shadow-float"
    >
      {bulk.state.kind === 'failed' ? <Failures {...bulk.state} bulk={bulk} nameOf={nameOf} /> : null}
      {bulk.state.kind === 'running' ? (
        <Progress {...bulk.state} onStop={bulk.stop} />
      ) : (
        <Choice selection={selection} actions={actions} bulk={bulk} />
      )}
    </section>
  )
}

interface ChoiceProps<Row> extends Omit<BulkBarProps<Row>, 'nameOf' | 'list'> {
  readonly bulk: Bulk<Row>
}

function Choice<Row extends { readonly id: number }>({ selection, actions, bulk }: ChoiceProps<Row>) {
  const t = useT()
  const [pending, setPending] = useState<{
    readonly action: BulkRun<Row>
    readonly question: Question
    readonly isOpen: boolean
  } | null>(null)
  // The number of rows is kept while the dialog closes.
  const [choice, setChoice] = useState<{ readonly action: BulkAction<Row>; readonly count: number; readonly isOpen: boolean } | null>(null)
  const count = selection.rows.length
  const begin = (action: BulkRun<Row>) => {
    const start = () => void bulk.start(action, selection.rows)
    if (action.ensure === undefined) start()
    else action.ensure(start)
  }
  const choose = (action: BulkAction<Row>) => {
    if ('take' in action) return action.take(selection.rows)
    if ('choose' in action) return setChoice({ action, count, isOpen: true })
    const question = action.confirm?.(count)
    if (question === undefined) begin(action)
    else setPending({ action, question, isOpen: true })
  }
  usePageCommands(() => ({
    title: t('list.selected', { count }),
    commands: (count === 0 ? [] : actions).map((action) => ({
      id: `page:selection:${action.id}`,
      label: action.label,
      icon: action.icon,
      ...(action.isDangerous === true && { isDangerous: true }),
      run: () => choose(action),
    })),
  }))
  const close = () => setPending((last) => last && { ...last, isOpen: false })
  const closeChoice = () => setChoice((last) => last && { ...last, isOpen: false })
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="mr-2 font-medium tabular">{t('list.selected', { count })}</span>
      {/* On phones one line that scrolls, so that the bar does not cover the rows. */}
      <div className="contents max-sm:order-last max-sm:-m-1 max-sm:flex max-sm:w-[calc(100%+8px)] max-sm:gap-2 max-sm:overflow-x-auto max-sm:p-1 thin-scroll">
        {actions.map((action) => (
          <Button
            key={action.id}
            size="sm"
            look={action.isDangerous ? 'danger' : 'secondary'}
            disabled={count === 0}
            onClick={() => choose(action)}
          >
            <action.icon aria-hidden className="size-4" />
            {action.label}
          </Button>
        ))}
      </div>
      <IconButton
        label={t('bulk.clear')}
        className="ml-auto"
        onClick={() => {
          selection.clear()
          bulk.dismiss()
        }}
      >
        <X aria-hidden className="size-4" />
      </IconButton>
      {choice === null || !('choose' in choice.action)
        ? null
        : choice.action.choose({
            count: choice.count,
            isOpen: choice.isOpen,
            onCancel: closeChoice,
            onChosen: (act) => {
              closeChoice()
              bulk.start({ ...choice.action, act }, selection.rows)
            },
          })}
      {pending === null ? null : (
        <ConfirmDialog
          {...pending.question}
          confirmLabel={pending.action.label}
          isOpen={pending.isOpen}
          onCancel={close}
          onConfirm={() => {
            close()
            begin(pending.action)
          }}
        />
      )}
    </div>
  )
}

function Progress({ done, total, onStop }: { readonly done: number; readonly total: number; readonly onStop: () => void }) {
  const t = useT()
  return (
    <div className="flex items-center gap-3">
      <ProgressBar label={t('bulk.label')} value={done} max={total} />
      <span role="status" className="text-sm tabular">
        {t('bulk.progress', { done, total })}
      </span>
      <Button size="sm" onClick={onStop}>
        {t('action.stop')}
      </Button>
    </div>
  )
}

interface FailuresProps<Row> {
  readonly action: BulkRun<Row>
  readonly result: BulkResult<Row>
  readonly bulk: Bulk<Row>
  readonly nameOf: (row: Row) => string
}

function Failures<Row extends { readonly id: number }>({ action, result, bulk, nameOf }: FailuresProps<Row>) {
  const t = useT()
  const again = result.failed.filter(({ error }) => !isGone(error)).map(({ row }) => row)
  return (
    <div role="alert" className="mb-2 border-b pb-2">
      <div className="flex items-center justify-between gap-3">
        <p className="font-medium text-red">{t('bulk.failed', { done: result.done.length, failed: result.failed.length })}</p>
        {again.length === 0 ? null : (
          <Button size="sm" onClick={() => bulk.start(action, again)}>
            {t('bulk.retry')}
          </Button>
        )}
      </div>
      <ul className="mt-1 max-h-32 overflow-y-auto text-sm thin-scroll">
        {result.failed.map(({ row, error }) => (
          <li key={row.id} className="py-0.5 break-words">
            <bdi className="font-medium">{nameOf(row)}</bdi>{' '}
            <span className="text-muted">{isGone(error) ? t('bulk.gone') : explain(error)?.text}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
