import { parseUrl } from '@sluice/contract/parse-url'
import { ExternalLink } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import { Alert } from './alert.tsx'
import { Button } from './button.tsx'

/** How long a framed page may take until the reader is warned that it may not load. */
const slowMs = 8_000

interface PageFrameProps {
  readonly src: string
  /** The name of our page, which shows nothing else. */
  readonly title: string
  /** With a bar that names the host and opens the page in a new tab. */
  readonly hasBar?: boolean
  /** The height of the frame; without it, the frame fills the room between the top bar and the footer. */
  readonly height?: string
}

/** A page of another site, over the whole width and without a second scrollbar. */
export function PageFrame({ src, title, hasBar = false, height }: PageFrameProps) {
  const t = useT()
  const { isLoaded, isLate, isBlocked, onLoad } = useFrameState(src)
  return (
    <div className="-mx-4 -mb-5 flex min-w-0 flex-1 flex-col md:-mx-(--page-x) md:-mb-(--page-y) [:empty+&]:-mt-5 md:[:empty+&]:-mt-(--page-y)">
      <h1 tabIndex={-1} className="sr-only">
        {title}
      </h1>
      {hasBar ? <FrameBar src={src} isLate={isLate} /> : null}
      {isLate && !isLoaded && !hasBar ? <Slow src={src} /> : null}
      {isBlocked ? <Blocked /> : null}
      <div className={cx('relative', height === undefined && 'flex min-h-80 flex-1 flex-col')}>
        {isLoaded || isBlocked ? null : (
          <div aria-hidden className="absolute inset-x-0 top-0 h-0.5 overflow-hidden">
            <div className="h-full w-1/4 animate-slide bg-accent" />
          </div>
        )}
        <iframe
          key={src}
          src={src}
          title={t('frame.title', { name: title })}
          onLoad={onLoad}
          sandbox={sandboxOf(src)}
          referrerPolicy="no-referrer"
          allow="clipboard-write"
          className={cx('block w-full border-0 bg-surface', height === undefined && 'flex-1')}
          {...(height !== undefined && { style: { height } })}
        />
      </div>
    </div>
  )
}

/**
 * What the framed page may do. It keeps its own origin, because most pages need their storage, unless that is ours: then it would have our
 * rights. It can never navigate the page around it.
 */
function sandboxOf(src: string): string {
  const isOurs = parseUrl(src)?.origin === location.origin
  return `allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads${isOurs ? '' : ' allow-same-origin'}`
}

/**
 * `isLate`: enough time has passed for any page. Browsers do not reveal to a page whether a site refused to be framed, so from then on the
 * reader gets a hint. `isBlocked`: the policy that came with our page is older than the address.
 */
function useFrameState(src: string) {
  const [loaded, setLoaded] = useState('')
  const [late, setLate] = useState('')
  const [blocked, setBlocked] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setLate(src), slowMs)
    const onViolation = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent) => {
      if (effectiveDirective === 'frame-src' && src.startsWith(blockedURI)) setBlocked(src)
    }
    document.addEventListener('securitypolicyviolation', onViolation)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('securitypolicyviolation', onViolation)
    }
  }, [src])
  return { isLoaded: loaded === src, isLate: late === src, isBlocked: blocked === src, onLoad: () => setLoaded(src) }
}

function FrameBar({ src, isLate }: { readonly src: string; readonly isLate: boolean }) {
  const t = useT()
  return (
    <div className="flex min-h-8 items-center gap-3 border-b bg-surface px-4 text-sm md:px-(--page-x) touch:min-h-11">
      <p role="status" className="min-w-0 flex-1 text-muted max-sm:py-1 sm:truncate">
        {isLate ? t('frame.quiet') : parseUrl(src)?.host}
      </p>
      <a
        href={src}
        target="_blank"
        rel="noopener noreferrer"
        className="inline-flex shrink-0 items-center gap-1.5 rounded-sm font-medium text-accent hover:underline touch:min-h-11"
      >
        {t('frame.open')}
        <ExternalLink aria-hidden className="size-3.5" />
      </a>
    </div>
  )
}

function Slow({ src }: { readonly src: string }) {
  const t = useT()
  return (
    <div className="p-4 md:px-(--page-x)">
      <Alert
        kind="warning"
        action={
          <a href={src} target="_blank" rel="noopener noreferrer" className="shrink-0 font-medium underline">
            {t('frame.open')}
          </a>
        }
      >
        {t('frame.slow')}
      </Alert>
    </div>
  )
}

function Blocked() {
  const t = useT()
  return (
    <div className="p-4 md:px-(--page-x)">
      <Alert
        kind="info"
        action={
          <Button size="sm" onClick={() => location.reload()}>
            {t('action.reload')}
          </Button>
        }
      >
        {t('frame.blocked')}
      </Alert>
    </div>
  )
}
