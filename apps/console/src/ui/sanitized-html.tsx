import DOMPurify from 'dompurify'

/** What an administrator wrote, without anything that could run or send a form. Links open beside the console and tell nothing about it. */
export function SanitizedHtml({ html, className }: { readonly html: string; readonly className?: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: cleaned on the way in
  return <div className={className} dangerouslySetInnerHTML={{ __html: clean(html) }} />
}

function clean(html: string): string {
  const fragment = DOMPurify.sanitize(html, {
    USE_PROFILES: { html: true },
    FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select'],
    RETURN_DOM_FRAGMENT: true,
  })
  for (const link of fragment.querySelectorAll('a[href]')) {
    link.setAttribute('rel', 'noopener noreferrer')
    link.setAttribute('target', '_blank')
  }
  const holder = document.createElement('div')
  holder.append(fragment)
  return holder.innerHTML
}
