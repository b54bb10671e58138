import { type ChannelRow, channel } from '@sluice/contract'
import { CircleAlert, CircleCheck, Loader2 } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useUpdate } from '../../crud/use-update.ts'
import { call, explain } from '../../lib/api.ts'
import { runBulk } from '../../lib/run-bulk.ts'
import { useT } from '../../lib/t.ts'
import type { ListView } from '../../lib/use-list.ts'
import { Button } from '../../ui/button.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { Checkbox } from '../../ui/toggle.tsx'
import { namesIn } from './names-in.ts'

/** Tests that run at once. */
const parallel = 4
/** Longer than the server's timeout for the first byte of a vendor. */
const timeoutMs = 130_000

type ModelTest =
  | { readonly kind: 'running' }
  | { readonly kind: 'passed'; readonly seconds: number }
  | { readonly kind: 'failed'; readonly reason: string }

type Results = ReadonlyMap<string, ModelTest>

interface ModelTestsProps {
  /** The last row is kept while the sheet closes. */
  readonly row: ChannelRow | null
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly list: Pick<ListView<ChannelRow>, 'patch' | 'refresh'>
}

/** Tests the chosen models of a channel, shows each result as it arrives, and can keep only the models that passed. */
export function ModelTests({ row, isOpen, onClose, list }: ModelTestsProps) {
  const t = useT()
  return (
    <Sheet title={t('channel.models.test.of', { name: row?.name ?? '' })} side="right" isOpen={isOpen} onClose={onClose}>
      {row === null ? null : <Content key={row.id} row={row} list={list} />}
    </Sheet>
  )
}

function Content({ row, list }: Pick<ModelTestsProps, 'list'> & { readonly row: ChannelRow }) {
  const t = useT()
  const models = namesIn(row.models)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(models))
  const { results, isRunning, start, stop } = useModelTests(row)
  const update = useUpdate(channel.update, list)
  const passed = models.filter((model) => results.get(model)?.kind === 'passed')
  const tested = models.filter((model) => isEnded(results.get(model)))
  const toggle = (model: string) =>
    setChosen((all) => (all.has(model) ? new Set([...all].filter((other) => other !== model)) : new Set(all).add(model)))
  return (
    <div className="space-y-3">
      <p className="text-sm text-muted">{t('channel.models.test.hint')}</p>
      <div className="flex flex-wrap items-center gap-2">
        {isRunning ? (
          <Button onClick={stop}>{t('action.stop')}</Button>
        ) : (
          <Button look="primary" disabled={chosen.size === 0} onClick={() => start(models.filter((model) => chosen.has(model)))}>
            {t('channel.models.test.start', { count: models.filter((model) => chosen.has(model)).length })}
          </Button>
        )}
        <Button
          disabled={isRunning || passed.length === 0 || passed.length === models.length}
          // The call itself reports a refusal.
          onClick={() => void update(row, { models: passed.join(',') }).catch(() => null)}
        >
          {t('channel.models.test.keep', { count: passed.length })}
        </Button>
        <span role="status" className="text-sm text-muted tabular">
          {results.size === 0 ? '' : t('channel.models.test.progress', { passed: passed.length, failed: tested.length - passed.length })}
        </span>
      </div>
      <ul className="divide-y rounded-sm border">
        {models.map((model) => (
          <li key={model} className="flex items-start gap-2.5 px-3 py-2">
            <Checkbox label={model} isChecked={chosen.has(model)} isDisabled={isRunning} onChange={() => toggle(model)} />
            <span className="min-w-0 flex-1">
              <span aria-hidden className="block font-mono text-xs break-all">
                {model}
              </span>
              <ResultText result={results.get(model)} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}

function isEnded(result: ModelTest | undefined): boolean {
  return result !== undefined && result.kind !== 'running'
}

function ResultText({ result }: { readonly result: ModelTest | undefined }): ReactNode {
  const t = useT()
  if (result === undefined) return null
  if (result.kind === 'running') {
    return (
      <span className="flex items-center gap-1.5 text-sm text-muted">
        <Loader2 aria-hidden className="size-3.5 animate-spin" />
        {t('channel.models.test.running')}
      </span>
    )
  }
  const isPassed = result.kind === 'passed'
  const Icon = isPassed ? CircleCheck : CircleAlert
  return (
    <span className={`flex items-start gap-1.5 text-sm break-words ${isPassed ? 'text-green' : 'text-red'}`}>
      <Icon aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      {isPassed ? t('channel.response', { seconds: result.seconds.toFixed(2) }) : result.reason}
    </span>
  )
}

/** Runs tests of models, a few at a time. Closing the sheet stops them: running ones are completed and further ones do not begin. */
function useModelTests({ id }: ChannelRow) {
  const [results, setResults] = useState<Results>(new Map())
  const [isRunning, setRunning] = useState(false)
  const stopper = useRef(new AbortController())
  useEffect(() => () => stopper.current.abort(), [])
  const note = (model: string, result: ModelTest) => setResults((all) => new Map(all).set(model, result))
  const testOne = async (model: string): Promise<void> => {
    note(model, { kind: 'running' })
    try {
      const { time } = await call(channel.test, { id, model }, { timeoutMs })
      note(model, { kind: 'passed', seconds: time })
    } catch (error) {
      note(model, { kind: 'failed', reason: explain(error)?.text ?? '' })
    }
  }
  const start = async (models: readonly string[]): Promise<void> => {
    stopper.current = new AbortController()
    setResults(new Map())
    setRunning(true)
    await runBulk({ rows: models, act: testOne, onProgress: () => null, signal: stopper.current.signal, parallel })
    setRunning(false)
  }
  return { results, isRunning, start: (models: readonly string[]) => void start(models), stop: () => stopper.current.abort() }
}
