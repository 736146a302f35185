# Receives webhooks of Lead Signals and verifies their signatures. Ruby 3.0 or newer, no gems.
#
#   WEBHOOK_SECRETS="whsec_…" ruby receiver.rb
require "json"
require "openssl"
require "socket"

TOLERANCE_SECONDS = 300
MAX_BODY_BYTES = 16 * 1024 * 1024

# One secret, or two with a space between while the secret is rotated.
KEYS = ENV.fetch("WEBHOOK_SECRETS", "").split.grep(/\Awhsec_/).map do |secret|
  secret.delete_prefix("whsec_").unpack1("m")
end
abort "WEBHOOK_SECRETS takes the webhook's secret, whsec_…" if KEYS.empty?

# Returns the reason why a post is not authentic; nil when it is. `body` takes the bytes as they arrived.
def refusal(headers, body)
  id, timestamp, signatures = %w[webhook-id webhook-timestamp webhook-signature].map { |name| headers.fetch(name, "") }
  return "a signature header is missing" if [id, timestamp, signatures].any?(&:empty?)
  return "the timestamp is not a number" unless timestamp.match?(/\A[0-9]{1,12}\z/)
  return "the timestamp is too far off" if (Time.now.to_i - timestamp.to_i).abs > TOLERANCE_SECONDS

  expected = KEYS.map do |key|
    digest = OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{timestamp}.".b + body)
    "v1,#{[digest].pack("m0")}"
  end
  # During a rotation the header holds two signatures. One match is enough.
  is_authentic = signatures.split.any? do |given|
    expected.any? { |each| OpenSSL.secure_compare(given, each) }
  end
  is_authentic ? nil : "no signature matches"
end

def receive(method, headers, socket)
  return [405, "POST only"] if method != "POST"

  length = headers.fetch("content-length", "")
  return [411, "a length is required"] unless length.match?(/\A[0-9]{1,12}\z/)
  return [413, "the body is too large"] if length.to_i > MAX_BODY_BYTES

  body = socket.read(length.to_i).to_s
  reason = refusal(headers, body)
  return [400, reason] if reason

  # One event, or an array of them where the webhook takes batches. A CloudEvent has its type as "type".
  [JSON.parse(body.force_encoding("UTF-8"))].flatten.each do |event|
    # Store the event under event["id"] before you answer. An id that you have stored already is a repetition.
    puts "#{event["event"] || event["type"]} #{event["id"]}"
  end
  [204, ""]
end

# Ruby's standard library has no HTTP server. In Rails `body` is request.raw_post, in Sinatra request.body.read.
$stdout.sync = true
server = TCPServer.new("127.0.0.1", Integer(ENV.fetch("PORT", "4100")))
loop do
  Thread.new(server.accept) do |socket|
    method, = socket.gets.to_s.split
    headers = {}
    while (line = socket.gets) && line != "\r\n"
      name, value = line.split(":", 2)
      headers[name.downcase] = value.to_s.strip
    end
    status, reason = receive(method, headers, socket)
    length = status == 204 ? "" : "Content-Length: #{reason.bytesize}\r\n"
    socket.write("HTTP/1.1 #{status} -\r\n#{length}Connection: close\r\n\r\n#{reason}")
  ensure
    socket.close
  end
end
