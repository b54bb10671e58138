import type { TaskResultRow, TaskRow } from '@sluice/contract'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { gatewayPath } from '../../lib/gateway-address.ts'
import { useT } from '../../lib/t.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-field.tsx'
import { saveResult } from './use-task-actions.ts'

/** What is shown as a link only, because it repeats what the video shows. */
const sides: readonly string[] = ['thumbnail', 'spritesheet']

/** The results of a task, each with a player and a button that saves it. */
export function TaskResults({ row }: { readonly row: TaskRow }) {
  const t = useT()
  if (row.results.length === 0) return null
  const extras = row.results.filter(({ variant }) => sides.includes(variant))
  // The button of a single one is among the actions of its task.
  const isAlone = row.results.length - extras.length === 1
  return (
    <section aria-label={t('task.results')} className="space-y-3">
      {row.results.map((result, index) =>
        sides.includes(result.variant) ? null : (
          // biome-ignore lint/suspicious/noArrayIndexKey: results have no name but their place, which stays
          <TaskResultView key={`${row.id} ${index}`} row={row} result={result} isAlone={isAlone} />
        ),
      )}
      {extras.length === 0 ? null : (
        <div className="flex flex-wrap gap-2">
          {extras.map(({ variant, url }) =>
            url === null ? null : (
              <Button key={variant} size="sm" onClick={() => saveResult(url, row)}>
                <Download aria-hidden className="size-4 text-muted" />
                {nameOfVariant(variant, t)}
              </Button>
            ),
          )}
        </div>
      )}
    </section>
  )
}

interface ResultProps {
  readonly row: TaskRow
  readonly result: TaskResultRow
  readonly isAlone: boolean
}

function TaskResultView({ row, result, isAlone }: ResultProps) {
  const t = useT()
  const { variant, text, url } = result
  if (text !== null) {
    return (
      <div className="flex items-start gap-1 rounded-sm border bg-sunken py-1 pr-1 pl-3">
        <p className="min-w-0 flex-1 py-1 break-words whitespace-pre-wrap">{text}</p>
        <CopyButton text={text} label={t('task.text.copy')} />
      </div>
    )
  }
  if (url === null) return null
  return (
    <figure className="overflow-hidden rounded-md border">
      <ResultPlayer variant={variant} url={url} name={t('task.result', { variant: nameOfVariant(variant, t) })} />
      {isAlone ? null : (
        <figcaption className="flex items-center justify-between gap-3 px-3 py-1.5 text-sm text-muted">
          {nameOfVariant(variant, t)}
          <Button size="sm" look="quiet" onClick={() => saveResult(url, row)}>
            <Download aria-hidden className="size-4" />
            {t('task.download')}
          </Button>
        </figcaption>
      )}
    </figure>
  )
}

const named = ['video', 'image', 'audio', 'thumbnail', 'spritesheet'] as const

function nameOfVariant(variant: string, t: ReturnType<typeof useT>): string {
  const known = named.find((name) => name === variant)
  return known === undefined ? variant : t(`task.variant.${known}`)
}

interface PlayerProps {
  readonly variant: string
  readonly url: string
  readonly name: string
}

/** A new link to the same result does not interrupt what plays; only one that does not work any more is replaced. */
function ResultPlayer({ variant, url, name }: PlayerProps) {
  const t = useT()
  const [currentUrl, setCurrentUrl] = useState(url)
  const [isBroken, setBroken] = useState(false)
  const replace = () => (currentUrl === url ? setBroken(true) : setCurrentUrl(url))
  if (isBroken) return <p className="bg-sunken px-3 py-8 text-center text-sm text-muted">{t('task.result.gone')}</p>
  const src = gatewayPath(currentUrl)
  switch (variant) {
    case 'video':
      return (
        // biome-ignore lint/a11y/useMediaCaption: what was made has no captions
        <video
          src={src}
          aria-label={name}
          controls
          playsInline
          onError={replace}
          style={{ backgroundColor: 'black' }}
          className="max-h-96 w-full"
        />
      )
    case 'audio':
      return (
        <div className="p-3">
          {/* biome-ignore lint/a11y/useMediaCaption: what was made has no captions */}
          <audio src={src} aria-label={name} controls onError={replace} className="w-full" />
        </div>
      )
    default:
      return <img src={src} alt={name} onError={replace} className="mx-auto max-h-96 bg-sunken" />
  }
}
