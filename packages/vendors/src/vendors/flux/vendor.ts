import type { Vendor } from '../../core/vendor.ts'
import { askField } from '../../protocols/balances/shapes.ts'
import { fluxImageTasks } from './image-tasks.ts'
import { fluxVideoEdits } from './video-edits.ts'
import { fluxVideos } from './videos.ts'

const isVideo = (model: string): boolean => model.includes('video')

const isVideoEdit = (model: string): boolean => model === 'flux-video-edit'

/** Source: BFL API reference, "Get started" and "Endpoints", stored copies read 2026-11-23. */
export const flux: Vendor = {
  type: 47,
  name: 'Flux',
  color: 'brown',
  docs: { page: 'https://docs.bfl.ai/quick_start/introduction' },
  group: 'media',
  dialects: {},
  tasks: {
    pictures: (model) => (isVideo(model) ? null : fluxImageTasks),
    videos: (model) => (isVideoEdit(model) ? fluxVideoEdits : isVideo(model) ? fluxVideos : null),
  },
  routes: {
    // Its responses name addresses of the region that has the task.
    keyHosts: ['bfl.ai'],
    baseUrl: 'https://api.bfl.ai',
  },
  auth: { header: 'x-key' },
  key: { hint: 'bfl_...', prefix: 'bfl_' },
  askBalance: askField('/v1/credits', 'credits'),
  models: {
    names: [
      'flux-2-max',
      'flux-2-pro',
      'flux-2-flex',
      'flux-2-klein-9b',
      'flux-2-klein-4b',
      'flux-kontext-max',
      'flux-kontext-pro',
      'flux-pro-1.1-ultra',
      'flux-pro-1.1',
      'flux-dev',
      'flux-pro-1.0-fill',
      'flux-pro-1.0-expand',
      'flux-3-video',
      'flux-video-edit',
    ],
  },
}
