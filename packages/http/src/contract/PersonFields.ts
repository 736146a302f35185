/** The fields of a person that leads, webhook events and authors of posts share. */
import { piiText, piiTextOrNull } from "./Fields.ts"

export const personFields = {
  extId: piiText("External id", "ACoAAB12"),
  name: piiText("Display name", "Ada Example"),
  headline: piiTextOrNull("Headline of the profile", "Head of Purchasing at Northwind"),
  username: piiTextOrNull("Vanity name of the profile", "ada-example"),
  title1: piiTextOrNull("Job title", "Head of Purchasing"),
  liProfileUrl: piiTextOrNull("URL of the profile", "https://network.example/in/ada-example"),
  profileImgUrl: piiTextOrNull("URL of the profile's picture", "https://media.network.example/ada.jpg")
}

export const authorUrls = {
  linkedinProfileUrl: piiTextOrNull("The author's profile URL", "https://network.example/in/bo-example"),
  profileImageUrl: piiTextOrNull("URL of the profile's picture", "https://media.network.example/bo.jpg")
}
