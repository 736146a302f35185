/** The fields of a person that leads, webhook events and authors of posts share. */
import { piiText, piiTextOrNull } from "./Fields.ts"

/** The fields of a lead itself. They are personal data, every one. [PII-1] */
export const personFields = {
  extId: piiText("External id", "ACoAAB12"),
  name: piiText("Display name", "Ada Example"),
  headline: piiTextOrNull("Headline of the profile", "Head of Purchasing at Northwind"),
  username: piiTextOrNull("Vanity name of the profile", "ada-example"),
  title1: piiTextOrNull("Job title", "Head of Purchasing"),
  liProfileUrl: piiTextOrNull("URL of the profile", "https://network.example/in/ada-example"),
  profileImgUrl: piiTextOrNull("URL of the profile's picture", "https://media.network.example/ada.jpg")
}

/** The URLs of a post's author, which have other names than the same of a lead. */
export const authorUrls = {
  linkedinProfileUrl: piiTextOrNull("The author's profile URL", "https://network.example/in/bo-example"),
  profileImageUrl: piiTextOrNull("URL of the profile's picture", "https://media.network.example/bo.jpg")
}
