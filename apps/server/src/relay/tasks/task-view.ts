import type { TaskPart, VideoChange } from '@sluice/contract'
import type { JsonObject } from '@sluice/vendors/core/json'
import { followedDialectOf } from '@sluice/vendors/registry/batches/batch-dialect-of'
import { vendorByType } from '@sluice/vendors/registry/list'
import { isFollowedKind } from '@sluice/vendors/registry/task-dialect-of'
import type { TaskLinks } from './task-links.ts'
import type { TaskRow } from './task-queries.ts'
import { priceOf, type TaskTexts } from './task-texts.ts'
import { changesOf } from './video-changes.ts'

/** A result for a page: its address needs no token. */
interface LinkedResult {
  readonly variant: string
  readonly url: string | null
  readonly text: string | null
  readonly content_type: string
}

/** What the sealed columns of a task hold, for people who read about it in the console. */
export interface TaskView {
  readonly prompt: string
  readonly seconds: number | null
  readonly size: string
  readonly results: readonly LinkedResult[]
  /** It runs, and its vendor can stop it. */
  readonly cancellable: boolean
  /** What its account can have made of its video. */
  readonly film_changes: readonly VideoChange[]
  /** Addresses of the web among the images that were sent along. */
  readonly pictures: readonly string[]
  readonly parameters: JsonObject
  /** What cannot be read with this master key. */
  readonly unreadable: readonly TaskPart[]
}

export interface TaskViews {
  viewOf(row: TaskRow): TaskView
}

interface ViewDeps {
  readonly texts: Pick<TaskTexts, 'taskParamsOf' | 'resultOf' | 'unreadableOf'>
  readonly links: Pick<TaskLinks, 'linkTo'>
}

export function createTaskViews({ texts, links }: ViewDeps): TaskViews {
  return {
    viewOf(row) {
      const { prompt: words, pictures: images, extra } = texts.taskParamsOf(row)
      // Clients of songs describe them by another name than that of the words that are sung.
      const described = extra['gpt_description_prompt']
      const prompt = words === '' && typeof described === 'string' ? described : words
      const { seconds, size } = priceOf(row)
      const unreadable = texts.unreadableOf(row)
      const isReachable = !unreadable.includes('upstream')
      const { results } = texts.resultOf(row) ?? { results: [] }
      return {
        prompt,
        seconds: seconds ?? null,
        size: size ?? '',
        results: results.map(({ variant, text, contentType }, index) => ({
          variant,
          url: text === undefined ? links.linkTo(row.public_id, index) : null,
          text: text ?? null,
          content_type: contentType ?? '',
        })),
        cancellable: isReachable && isCancellable(row),
        film_changes: isReachable ? changesOf(row, results) : [],
        pictures: images.filter((address) => /^https?:/i.test(address)),
        parameters: extra,
        unreadable,
      }
    },
  }
}

function isCancellable({ stage, kind, channel_type: type, upstream_model: model }: TaskRow): boolean {
  const vendor = vendorByType(type)
  if (stage !== 'running' || vendor === null || !isFollowedKind(kind)) return false
  return followedDialectOf(vendor, kind, model)?.cancel !== undefined
}
