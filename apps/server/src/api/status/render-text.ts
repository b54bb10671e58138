import { Worker } from 'node:worker_threads'
import { isPageAddress, type OptionKey, optionRow, type Settings } from '@sluice/contract'
import { AppError } from '../../lib/app-error.ts'
import { createWorkerJobs, type JobLimits } from '../../lib/worker-jobs.ts'
import { type PublicContent, plainContent } from './plain-content.ts'

/** A public text and how it is written: HTML, Markdown, or Markdown or the address of a page. */
export interface RenderJob {
  readonly kind: 'markdown' | 'page' | 'html'
  readonly text: string
}

/** Renders texts of administrators for visitors, in a thread: a hostile text takes seconds, or throws. */
export interface TextRenderer {
  /** What visitors get of a stored text: rendered once, also if that fails; then it is shown as plain text. */
  stored(job: RenderJob): Promise<PublicContent>
  /** The HTML of a text that is not stored. @throws AppError option_value_invalid */
  preview(job: RenderJob): Promise<string>
  /** Checks a new value of an option, and remembers the result. @throws AppError option_value_invalid */
  check(key: OptionKey, text: string): Promise<void>
  /** Addresses of the pages that the public texts are or show in frames. */
  frames(settings: Settings): Promise<readonly string[]>
  close(): Promise<void>
}

/** Ordinary texts take some milliseconds. An administrator waits for the check of one, a visitor at most once for each text. */
const renderLimits: JobLimits = { jobMs: 5_000, waiting: 64, idleMs: 10_000 }

/** Four texts are stored; the rest is for those of before. */
const rememberedMax = 16

const nothing: PublicContent = { html: '', frames: [] }

const startRenderer = (): Worker => new Worker(new URL('./render-worker.ts', import.meta.url))

export function createTextRenderer(startThread = startRenderer, limits = renderLimits): TextRenderer {
  const jobs = createWorkerJobs<RenderJob, PublicContent>(startThread, limits)
  /** `null`: it cannot be rendered. */
  const remembered = new Map<string, Promise<PublicContent | null>>()

  /** @returns `null` if the text cannot be rendered. @throws AppError option_value_invalid if that is not known */
  async function render({ kind, text }: RenderJob): Promise<PublicContent | null> {
    const source = kind === 'html' ? text : text.trim()
    if (source.trim() === '') return nothing
    if (kind !== 'html' && isPageAddress(source)) return { html: source, frames: [] }
    const outcome = await jobs.run({ kind, text: source })
    if (outcome.kind === 'done') return outcome.result
    if (outcome.reason === 'timed_out' || outcome.reason === 'threw') return null
    throw notRendered()
  }

  function renderOnce(job: RenderJob): Promise<PublicContent | null> {
    const key = `${job.kind === 'html' ? 'html' : 'markdown'} ${job.text}`
    const known = remembered.get(key) ?? render(job)
    // The one that was not read for the longest time is forgotten.
    remembered.delete(key)
    remembered.set(key, known)
    void known.catch(() => remembered.delete(key))
    for (const oldest of [...remembered.keys()].slice(0, Math.max(0, remembered.size - rememberedMax))) remembered.delete(oldest)
    return known
  }

  const stored = async (job: RenderJob): Promise<PublicContent> => (await renderOnce(job).catch(() => null)) ?? plainContent(job.text)

  return {
    stored,
    async preview(job) {
      const content = await render(job)
      if (content === null) throw notRendered()
      return content.html
    },
    async check(key, text) {
      const { control } = optionRow(key)
      if (control !== 'markdown' && control !== 'page' && control !== 'html') return
      if ((await renderOnce({ kind: control, text })) === null) throw notRendered()
    },
    async frames({ HomePageContent, About, Notice, Footer }) {
      const markdown = [HomePageContent, About, Notice].map((text) => stored({ kind: 'markdown', text }))
      const contents = await Promise.all([...markdown, stored({ kind: 'html', text: Footer })])
      return [...[HomePageContent, About].filter(isPageAddress), ...contents.flatMap(({ frames }) => frames)]
    },
    close: jobs.close,
  }
}

function notRendered(): AppError {
  return new AppError('option_value_invalid', { messageKey: 'option_not_rendered', field: 'value' })
}
