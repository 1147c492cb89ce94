package dev.posthorn.http.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TargetTest {

    private static final String LONG_LABEL = "a".repeat(63);
    private static final AddressPolicy ONLY_PUBLIC = new AddressPolicy(Set.of(), Set.of(), Set.of());

    @ParameterizedTest
    @MethodSource("hostileUrls")
    void refusesWhatLeadsAstrayOrCanBeReadInTwoWays(HostileUrls.Url hostile) {
        assertThatThrownBy(() -> ONLY_PUBLIC.requireAllowed(Target.of(hostile.url())))
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SETTING))
                .hasMessageStartingWith("HTTP sink: ");
    }

    static List<HostileUrls.Url> hostileUrls() {
        return HostileUrls.URLS;
    }

    @ParameterizedTest
    @CsvSource({
        "https://example.com, https, example.com, 443, /",
        "http://example.com, http, example.com, 80, /",
        "HTTPS://Example.COM/Hook, https, example.com, 443, /Hook",
        "https://example.com/, https, example.com, 443, /",
        "https://example.com?a=b, https, example.com, 443, /?a=b",
        "https://example.com/a/b;c=d?x=%20&y=[z]@, https, example.com, 443, /a/b;c=d?x=%20&y=[z]@",
        "https://example.com/@user/:8080, https, example.com, 443, /@user/:8080",
        "https://example.com:443/, https, example.com, 443, /",
        "http://example.com:65535/, http, example.com, 65535, /",
        "http://example.com:1/, http, example.com, 1, /",
        "https://a.b.c.d.example.co.uk/, https, a.b.c.d.example.co.uk, 443, /",
        "https://hooks_1.example.com:8443/x, https, hooks_1.example.com, 8443, /x",
        "https://_dmarc.example.com/, https, _dmarc.example.com, 443, /",
        "https://xn--mnchen-3ya.example/, https, xn--mnchen-3ya.example, 443, /",
        "https://1.example.com/, https, 1.example.com, 443, /",
        "https://127.0.0.1.example.com/, https, 127.0.0.1.example.com, 443, /",
        "https://0x7f.example.com/, https, 0x7f.example.com, 443, /",
        "http://receiver:8080/, http, receiver, 8080, /",
        "https://a-b--c.example/, https, a-b--c.example, 443, /",
        "https://8.8.8.8/, https, 8.8.8.8, 443, /",
        "http://1.0.0.1:8080/x, http, 1.0.0.1, 8080, /x",
        "https://[2600:1F18::1]/, https, 2600:1f18::1, 443, /",
        "https://[2606:4700:4700::1111]:8443/x?y, https, 2606:4700:4700::1111, 8443, /x?y",
        "https://[2600:1f18::8.8.8.8]/, https, 2600:1f18::808:808, 443, /",
        "https://example.com/a/../b/%2e%2e//c, https, example.com, 443, /a/../b/%2e%2e//c",
    })
    void readsAGoodUrl(String url, String scheme, String host, int port, String pathAndQuery) {
        Target target = Target.of(url);

        assertThatCode(() -> ONLY_PUBLIC.requireAllowed(target)).doesNotThrowAnyException();
        assertThat(target.scheme()).isEqualTo(scheme);
        assertThat(target.isSecure()).isEqualTo(scheme.equals("https"));
        assertThat(target.host()).isEqualTo(host);
        assertThat(target.port()).isEqualTo(port);
        assertThat(target.pathAndQuery()).isEqualTo(pathAndQuery);
        assertThat(target.httpHost())
                .hasToString(scheme + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port);
    }

    @Test
    void knowsAnAddressFromAName() {
        assertThat(Target.of("http://8.8.8.8/").literal()).isEqualTo(HostileUrls.address("8.8.8.8"));
        assertThat(Target.of("http://[2600::1]/").literal()).isEqualTo(HostileUrls.address("2600::1"));
        assertThat(Target.of("http://8.8.8.8.example.com/").literal()).isNull();
    }

    @Test
    void aMappedAddressStaysWhatWasWritten() {
        assertThat(Target.of("http://[::ffff:8.8.8.8]/").literal()).isNotEqualTo(HostileUrls.address("8.8.8.8"));
    }

    @Test
    void itsTextHoldsNoQuery() {
        assertThat(Target.of("https://Example.com/hook?token=s3cret")).hasToString("https://example.com:443/hook");
        assertThat(Target.of("https://example.com?token=s3cret")).hasToString("https://example.com:443/");
        assertThat(Target.of("http://[2600::1]:8080/a")).hasToString("http://[2600::1]:8080/a");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://user:s3cret@example.com/",
                "https://example.com:99999/?token=s3cret",
                "https://example..com/s3cret",
                "https://exämple.com/?token=s3cret",
                "https://example.com/?token=s3cret#x",
                "https://example.com/%zz?token=s3cret",
                "https://example.1a/?token=s3cret",
                "s3cret",
                "s3cret://example.com",
            })
    void noMessageHoldsASecretOfTheUrl(String url) {
        assertRefused(url).satisfies(e -> assertThat(allOf(e)).doesNotContain("s3cret"));
        assertThatThrownBy(() -> ONLY_PUBLIC.requireAllowed(Target.of("http://127.0.0.1/?token=s3cret")))
                .satisfies(e -> assertThat(allOf(e)).doesNotContain("s3cret"));
    }

    /** With its causes, as a log would show it. */
    private static String allOf(Throwable error) {
        return error + (error.getCause() == null ? "" : allOf(error.getCause()));
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "\t", "\r", "\n", "\0", "\u007f", "\\"})
    void noBlankControlCharacterOrBackslashIsLeftToOthersToRead(String character) {
        assertRefused("https://example.com/" + character + "x")
                .hasMessageContaining("holds a blank, a control character or a backslash");
    }

    @Test
    void aMessageSaysWhatToDo() {
        assertRefused("https://münchen.example/").hasMessageContaining("punycode");
        assertRefused("https://example.com./").hasMessageContaining("ends in a dot; remove it");
        assertRefused("https://user@example.com/").hasMessageContaining("authentication");
        assertRefused("https://example.com/#x").hasMessageContaining("without #fragment");
        assertRefused("ftp://example.com/").hasMessageContaining("http or https");
        assertRefused("http://2130706433/").hasMessageContaining("'2130706433'").hasMessageContaining("four decimal");
        assertRefused("http://[fe80::1%25eth0]/").hasMessageContaining("zone");
        assertRefused("http://::1/").hasMessageContaining("[ ]");
        assertRefused("http://example.com:0/").hasMessageContaining("1 to 65535");
    }

    @Test
    void aNameIsAsLongAsNameServersTakeItAndNoLonger() {
        String longest = String.join(".", LONG_LABEL, LONG_LABEL, LONG_LABEL, "a".repeat(61));
        assertThat(Target.of("https://" + longest + "/").host()).hasSize(253);
        assertRefused("https://" + longest + "a/").hasMessageContaining("253");
        assertRefused("https://a" + LONG_LABEL + ".com/").hasMessageContaining("63");
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(String url) {
        return assertThatThrownBy(() -> Target.of(url)).isInstanceOf(PosthornException.class);
    }
}
