import type { Vendor } from '../../core/vendor.ts'
import { falVideos } from './fal.ts'

/** Pika's models on fal, which is where Pika sends developers. Source: pika.art, "API", and as in `fal.ts`, read 2026-11-23. */
export const pika: Vendor = {
  type: 44,
  name: 'Pika',
  color: 'pink',
  docs: { page: 'https://fal.ai/models/fal-ai/pika/v2.2/text-to-video/api' },
  group: 'media',
  dialects: {},
  tasks: { videos: falVideos },
  routes: { baseUrl: 'https://queue.fal.run' },
  auth: { header: 'authorization', prefix: 'Key ' },
  key: { hint: 'id:secret' },
  models: { names: ['pika-2.1', 'pika-2.2', 'pika-2.2-i2v', 'pika-2.2-frames', 'pika-2.5', 'pika-turbo'] },
}
