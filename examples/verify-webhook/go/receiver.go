// Receives webhooks of Lead Signals and verifies their signatures. Go 1.18 or newer, no modules.
//
//	WEBHOOK_SECRETS="whsec_…" go run receiver.go
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const toleranceSeconds = 300
const maxBodyBytes = 16 << 20

// One secret, or two with a space between while the secret is rotated.
func readKeys() [][]byte {
	var keys [][]byte
	for _, secret := range strings.Fields(os.Getenv("WEBHOOK_SECRETS")) {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err == nil && strings.HasPrefix(secret, "whsec_") {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		log.Fatal("WEBHOOK_SECRETS takes the webhook's secret, whsec_…")
	}
	return keys
}

var keys = readKeys()

// refusal returns the reason why a post is not authentic, and "" when it is. body takes the bytes as they arrived.
func refusal(header http.Header, body []byte) string {
	id := header.Get("webhook-id")
	timestamp := header.Get("webhook-timestamp")
	signatures := header.Get("webhook-signature")
	if id == "" || timestamp == "" || signatures == "" {
		return "a signature header is missing"
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return "the timestamp is not a number"
	}
	if off := time.Now().Unix() - seconds; off > toleranceSeconds || off < -toleranceSeconds {
		return "the timestamp is too far off"
	}
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(body)
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		// During a rotation the header holds two signatures. One match is enough.
		for _, given := range strings.Split(signatures, " ") {
			if hmac.Equal([]byte(given), []byte(expected)) {
				return ""
			}
		}
	}
	return "no signature matches"
}

func receive(response http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodPost {
		http.Error(response, "POST only", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBodyBytes))
	if err != nil {
		http.Error(response, "the body is too large", http.StatusRequestEntityTooLarge)
		return
	}
	if reason := refusal(request.Header, body); reason != "" {
		http.Error(response, reason, http.StatusBadRequest)
		return
	}
	// One event, or an array of them where the webhook takes batches. A CloudEvent has its type as Type.
	if !bytes.HasPrefix(body, []byte("[")) {
		body = append(append([]byte("["), body...), ']')
	}
	var events []struct{ ID, Event, Type string }
	if err := json.Unmarshal(body, &events); err != nil {
		http.Error(response, "the body is not JSON", http.StatusBadRequest)
		return
	}
	for _, event := range events {
		// Store the event under event.ID before you answer. An id that you have stored already is a repetition.
		fmt.Println(event.Event+event.Type, event.ID)
	}
	response.WriteHeader(http.StatusNoContent)
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "4100"
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, http.HandlerFunc(receive)))
}
