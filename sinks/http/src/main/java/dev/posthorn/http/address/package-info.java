/**
 * Where one may send: {@code AddressPolicy} decides, {@code HostResolver} finds what it is asked about. Public for the
 * HTTP sink alone, except for {@code Network} and {@code AddressLiteral}, by which the hub reads addresses of its own.
 */
@NullMarked
package dev.posthorn.http.address;

import org.jspecify.annotations.NullMarked;
