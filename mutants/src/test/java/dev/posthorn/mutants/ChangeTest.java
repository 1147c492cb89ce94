package dev.posthorn.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ChangeTest {

    private static final List<String> LINES = List.of(
            "Two and two",
            "are four.",
            "",
            "noticed by dev.posthorn.SumTest#adds",
            "noticed by dev.posthorn.SumTest#subtracts with a=1 b=2",
            "",
            "in dev.posthorn.Sum",
            "@@",
            " int four() {",
            "-    return 2 + 2;",
            "+    return 5;",
            "@@",
            "-done();",
            "in dev.posthorn.Other",
            "@@",
            "-x",
            "+y");

    private final Mutant mutant = Mutant.of("FOUR", LINES);

    @Test
    void aMutantIsReadFromItsFile() {
        assertThat(mutant.rule()).isEqualTo("Two and two are four.");
        assertThat(mutant.noticers())
                .extracting(Noticer::toString)
                .containsExactly("SumTest#adds", "SumTest#subtracts with a=1 b=2");
        assertThat(mutant.changes())
                .extracting(Change::className)
                .containsExactly("dev.posthorn.Sum", "dev.posthorn.Other");
    }

    @Test
    void itsTextIsFoundHoweverItIsWrapped() {
        String changed = mutant.changes().get(0).applyTo("class Sum { int four()\n{ return 2\n + 2; }\n done(); }");
        assertThat(changed.replaceAll("\\s+", " ")).isEqualTo("class Sum { int four() { return 5; } }");
    }

    @Test
    void textThatIsNotThereOrThereTwiceIsToldOf() {
        Change change = mutant.changes().get(1);
        assertThatThrownBy(() -> change.applyTo("class Other {}")).hasMessageContaining("not there any more");
        assertThatThrownBy(() -> change.applyTo("x x")).hasMessageContaining("more than once");
    }
}
