package dev.posthorn.testkit.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The rules that hold in more than one module. */
public final class Rules {

    public static final int MOST_CLASSES = 30;
    private static final int MOST_VALUES = 6;

    private Rules() {}

    /** Every package is a slice, that of the module's own name too, which a pattern of packages would leave out. */
    public static ArchRule noCycles() {
        return slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        return SliceIdentifier.of(type.getPackageName());
                    }

                    @Override
                    public String getDescription() {
                        return "packages";
                    }
                })
                .should()
                .beFreeOfCycles();
    }

    public static ArchRule tellingNames() {
        return noClasses()
                .should()
                .haveNameMatching(".*(Util|Utils|Helper|Manager|Impl)(\\$.*)?")
                .orShould()
                .haveNameMatching("(.*[.$])?Abstract[^.$]*");
    }

    /** The packages with more top-level classes than so many, and their number. */
    public static Map<String, Long> crowded(JavaClasses classes, int most) {
        Map<String, Long> sizes = topLevel(classes).collect(groupingBy(JavaClass::getPackageName, counting()));
        sizes.values().removeIf(size -> size <= most);
        return sizes;
    }

    /** What is nested may share its name with what is nested elsewhere: its owner tells them apart. */
    static Set<String> namedTwice(JavaClasses classes) {
        Map<String, Long> names = topLevel(classes).collect(groupingBy(JavaClass::getSimpleName, counting()));
        names.values().removeIf(times -> times == 1);
        return names.keySet();
    }

    /**
     * What takes more than six values. A record is its values, a builder collects them, and what the compiler makes is
     * nobody's to call.
     */
    public static Stream<JavaCodeUnit> greedy(JavaClasses classes) {
        return classes.stream()
                .flatMap(each -> each.getCodeUnits().stream())
                .filter(each -> each.getRawParameterTypes().size() > MOST_VALUES)
                .filter(each -> !each.getModifiers().contains(JavaModifier.SYNTHETIC))
                .filter(each -> !(each instanceof JavaConstructor made) || isMadeByHand(made));
    }

    private static boolean isMadeByHand(JavaConstructor made) {
        JavaClass type = made.getOwner();
        return !type.isRecord()
                && !type.isAnonymousClass()
                && !type.isLocalClass()
                && made.getCallsOfSelf().stream()
                        .noneMatch(call -> call.getOriginOwner().getSimpleName().equals("Builder"));
    }

    public static Stream<JavaClass> topLevel(JavaClasses classes) {
        return classes.stream()
                .filter(each -> each.isTopLevelClass() && !each.getSimpleName().equals("package-info"));
    }
}
