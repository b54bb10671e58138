import type { Message } from '../../message.ts'
import type { content as en } from '../en/content.ts'

export const content = {
  'frame.title': '{name}：外部网站页面',
  'frame.open': '在新标签页中打开',
  'frame.quiet': '页面一直空白？该网站可能不允许被嵌入显示。',
  'frame.slow': '页面加载时间过长，该网站可能无法访问，或不允许被嵌入显示。',
  'frame.blocked': '页面地址在您打开控制台之后有所变更，请重新加载。',
  'about.title': '关于',
  'about.what': '{name} 是一个 AI 模型网关：一个接口、一个密钥，即可调用多家供应商的模型。',
  'about.use': '兼容 OpenAI API 的应用无需修改即可使用：填入以下接口地址，并以您的令牌作为密钥。',
  'about.address.copy': '复制接口地址',
  'about.docs': '管理 API 文档',
  'about.hint': '管理员可以自定义此页面的内容。',
  'about.hint.admin': '您可以在“设置 > 其他设置 > 关于”中自定义此页面，支持 Markdown、HTML 或网页链接。',
  'chat.none': '尚未配置聊天应用',
  'chat.none.text': '管理员可以配置聊天应用的链接。',
} satisfies Record<keyof typeof en, Message>
