/**
 * Keys and certificates, as users give them and as Java wants them; {@code PrivateKeys} first. Public for the HTTP
 * sink alone.
 */
@NullMarked
package dev.posthorn.http.tls;

import org.jspecify.annotations.NullMarked;
