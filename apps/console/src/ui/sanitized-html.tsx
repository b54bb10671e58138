import { contentRules } from '@sluice/contract/content'
import createDOMPurify from 'dompurify'

/** What an administrator wrote, cleaned by the same list as on the server. Nothing in it can cover what stands outside it. */
export function SanitizedHtml({ html, className = '' }: { readonly html: string; readonly className?: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: cleaned on the way in
  return <div className={`[contain:paint] ${className}`} dangerouslySetInnerHTML={{ __html: clean(html) }} />
}

/** One of its own, because hooks hold for everything that it cleans. */
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
