/**
 * How a request shows who is sending: {@code Credentials}, fixed, signed here or fetched from a token endpoint. Public
 * for the HTTP sink alone.
 */
@NullMarked
package dev.posthorn.http.auth;

import org.jspecify.annotations.NullMarked;
