package oauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"time"
)

// assertion is a signed statement by which a client with a private key proves who it
// is (RFC 7523, section 2.2).
func assertion(key, client, issuer string, now time.Time) (string, error) {
	block, _ := pem.Decode([]byte(key))
	if block == nil {
		return "", errors.New(`the "privateKey" of "oauth" is no PEM`)
	}
	private, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return "", errors.New(`the "privateKey" of "oauth" is no key in PKCS #8`)
	}
	algorithm := ""
	switch k := private.(type) {
	case *ecdsa.PrivateKey:
		if k.Curve.Params().BitSize == 256 {
			algorithm = "ES256"
		}
	case *rsa.PrivateKey:
		algorithm = "RS256"
	case ed25519.PrivateKey:
		algorithm = "EdDSA"
	}
	if algorithm == "" {
		return "", errors.New(`the "privateKey" of "oauth" must be of P-256, RSA or Ed25519`)
	}
	header, err := json.Marshal(map[string]string{"alg": algorithm, "typ": "JWT"})
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(map[string]any{
		"iss": client, "sub": client, "aud": issuer, "jti": rand.Text(),
		"iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(),
	})
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	text := encode(header) + "." + encode(claims)
	sum := sha256.Sum256([]byte(text))
	var signature []byte
	switch k := private.(type) {
	case *ecdsa.PrivateKey:
		r, s, failure := ecdsa.Sign(rand.Reader, k, sum[:])
		if err = failure; err == nil {
			signature = make([]byte, 64)
			r.FillBytes(signature[:32])
			s.FillBytes(signature[32:])
		}
	case *rsa.PrivateKey:
		signature, err = rsa.SignPKCS1v15(nil, k, crypto.SHA256, sum[:])
	case ed25519.PrivateKey:
		signature = ed25519.Sign(k, []byte(text))
	}
	if err != nil {
		return "", errors.New(`the "privateKey" of "oauth" does not sign`)
	}
	return text + "." + encode(signature), nil
}
