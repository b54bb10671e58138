import type { Lengths } from '@sluice/vendors/core/task'
import type { UnpricedPlace } from '@sluice/vendors/protocols/bodies/body-use'
import type { NativeOnly } from '@sluice/vendors/protocols/responses/native-only'
import { AppError } from '../../lib/app-error.ts'

/** Parameters that need a vendor that stores responses. */
const memories: ReadonlySet<string> = new Set(['store', 'previous_response_id'])

/** The error for a task of a kind that no channel of the model makes. */
export function makesNone(model: string): AppError {
  return new AppError('parameter_not_offered', { messageKey: 'model_task_unsupported', params: { name: 'model', model } })
}

/** The error for a length of a video that no channel of the model makes. @param lengths those of one of them */
export function lengthNotOffered(lengths: Lengths): AppError {
  const values = 'least' in lengths ? `${lengths.least}–${lengths.most}` : lengths.join(', ')
  return new AppError('parameter_not_offered', { messageKey: 'length_not_offered', params: { name: 'seconds', values } })
}

/** The error for a place of a body whose bill is not known, at vendors that may bill it. */
export function notPriced({ place, name }: UnpricedPlace): AppError {
  return new AppError('parameter_not_offered', { messageKey: 'parameter_not_priced', params: { name: place, member: name } })
}

/** The error for a parameter that no channel of the model supports. */
export function notOffered({ name, tool, item }: NativeOnly): AppError {
  if (item !== undefined) return new AppError('parameter_not_offered', { messageKey: 'item_not_offered', params: { name, type: item } })
  if (tool !== undefined) {
    const messageKey = tool === 'web_search' ? 'search_not_offered' : 'tool_needs_responses'
    return new AppError('parameter_not_offered', { messageKey, params: { name, tool } })
  }
  return new AppError('parameter_not_offered', {
    params: { name },
    ...(memories.has(name) ? { messageKey: 'parameter_needs_memory' } : {}),
  })
}
