import { contentRules } from '@sluice/contract/content'
import createDOMPurify from 'dompurify'

/** HTML of an administrator, sanitised by the server's rules. It cannot cover anything outside of its box. */
export function SanitizedHtml({ html, className = '' }: { readonly html: string; readonly className?: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: cleaned on the way in
  return <div className={`[contain:paint] ${className}`} dangerouslySetInnerHTML={{ __html: clean(html) }} />
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
