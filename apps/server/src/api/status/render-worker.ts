import { serveJobs } from '../../lib/serve-jobs.ts'
import type { PublicContent } from './plain-content.ts'
import { publicHtml, publicMarkdown } from './public-content.ts'
import type { RenderJob } from './render-text.ts'

// `render-text.ts` starts this file as a thread.
serveJobs<RenderJob, PublicContent>(({ kind, text }) => (kind === 'html' ? publicHtml(text) : publicMarkdown(text)))
