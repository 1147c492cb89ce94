package dev.posthorn.server.masking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MaskTest {

    @Test
    void aPointerIsReadByTheRulesOfItsStandard() {
        assertThat(Mask.of("").steps()).isEmpty();
        assertThat(Mask.of("/").steps()).containsExactly("");
        assertThat(Mask.of("/a/b").steps()).containsExactly("a", "b");
        assertThat(Mask.of("/a/").steps()).containsExactly("a", "");
        assertThat(Mask.of("//a").steps()).containsExactly("", "a");
        assertThat(Mask.of("/a~1b/m~0n").steps()).containsExactly("a/b", "m~n");
        assertThat(Mask.of("/~01").steps()).containsExactly("~1");
        assertThat(Mask.of("/cards/*/number").steps()).containsExactly("cards", "*", "number");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "#/a", "$.a", " /a", "/a~", "/a~2", "/~/a", "/\0", "/\uD800"})
    void anythingElseIsRefused(String pointer) {
        assertThatThrownBy(() -> Mask.of(pointer)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aPointerHasALongestLength() {
        assertThat(Mask.of("/" + "a".repeat(499)).steps()).hasSize(1);
        assertThatThrownBy(() -> Mask.of("/" + "a".repeat(500))).hasMessageContaining("the limit is 500");
    }

    @Test
    void whatIsWithinAMaskedValueIsCovered() {
        Masks masks = Masks.of(List.of("/customer/email", "/cards/*/number"));
        assertThat(masks.coverOf(List.of("customer"))).isEqualTo(-1);
        assertThat(masks.coverOf(List.of("customer", "email"))).isEqualTo(2);
        assertThat(masks.coverOf(List.of("customer", "email", "0", "x"))).isEqualTo(2);
        assertThat(masks.coverOf(List.of("cards", "17", "number"))).isEqualTo(3);
        assertThat(masks.coverOf(List.of())).isEqualTo(-1);
        assertThat(Masks.ALL.coverOf(List.of())).isZero();
        assertThat(Masks.ALL.coverOf(List.of("a"))).isZero();
        assertThat(Masks.NONE.coverOf(List.of("a"))).isEqualTo(-1);
    }
}
