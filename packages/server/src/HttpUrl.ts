/** URLs of settings, to which requests are sent or at which others reach the server. */

/** Whether the text is an absolute http or https URL without a user and a password: settings are shown to others, and secrets have their own. */
export const isHttpUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { password, protocol, username } = new URL(text)
  return /^https?:$/.test(protocol) && username === "" && password === ""
}
