import './stored-html.css'
import { contentRules } from '@sluice/contract/content'
import createDOMPurify from 'dompurify'
import { useLayoutEffect, useMemo, useRef } from 'react'
import { cx } from '../lib/text.ts'
import { keepLegible } from './legible.ts'

interface SanitizedHtmlProps {
  readonly html: string
  readonly className?: string | undefined
}

/** HTML of an administrator, sanitised by the server's rules. It cannot cover anything outside of its box. */
export function SanitizedHtml({ html, className }: SanitizedHtmlProps) {
  const box = useRef<HTMLDivElement>(null)
  const content = useMemo(() => ({ __html: clean(html) }), [html])
  // Before the first paint, and again for every other text.
  useLayoutEffect(() => (content.__html === '' || box.current === null ? undefined : keepLegible(box.current)), [content])
  // biome-ignore lint/security/noDangerouslySetInnerHtml: cleaned on the way in
  return <div ref={box} className={cx('stored-html', className)} dangerouslySetInnerHTML={content} />
}

/** A separate instance, because its hooks apply to all of its calls. */
const purify = createDOMPurify(window)

purify.addHook('uponSanitizeAttribute', (element, data) => {
  const value = contentRules.valueOf(element.nodeName.toLowerCase(), data.attrName, data.attrValue)
  data.keepAttr = value !== null
  data.attrValue = value ?? ''
})

purify.addHook('afterSanitizeAttributes', (element) => {
  for (const [name, value] of Object.entries(contentRules.forcedOf(element.nodeName.toLowerCase()))) element.setAttribute(name, value)
})

function clean(html: string): string {
  return purify.sanitize(html, {
    ALLOWED_TAGS: [...contentRules.tags],
    ALLOWED_ATTR: [...contentRules.attributes],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  })
}
