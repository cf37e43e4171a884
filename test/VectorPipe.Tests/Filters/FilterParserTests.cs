using NUnit.Framework;

namespace VectorPipe.Tests.Filters;

/// <summary>Texts of filters: what they mean, and what is said of those that are none.</summary>
public sealed class FilterParserTests
{
    private static readonly string _tokens4096 = "a == 1" + string.Concat(Enumerable.Repeat(" or a == 1", 1023)) + " or";

    private static IEnumerable<TestCaseData> Meanings =>
    [
        new TestCaseData("true", Filter.All),
        new TestCaseData(" false\t\r\n", Filter.None),
        new TestCaseData("year==1980", Filter.Equal("year", 1980)),
        new TestCaseData("year != -1", Filter.NotEqual("year", -1)),
        new TestCaseData("x<1.5e3", Filter.LessThan("x", 1500)),
        new TestCaseData("x <= 1E-3", Filter.LessThanOrEqual("x", 0.001)),
        new TestCaseData("x > -0.5 ", Filter.GreaterThan("x", -0.5)),
        new TestCaseData("x >= 9223372036854775807", Filter.GreaterThanOrEqual("x", long.MaxValue)),
        new TestCaseData("x >= -9223372036854775808", Filter.GreaterThanOrEqual("x", long.MinValue)),
        new TestCaseData("x == 9223372036854775808.0", Filter.Equal("x", 9223372036854775808.0)),
        new TestCaseData("x == 1e-999", Filter.Equal("x", 0)),
        new TestCaseData("x between 1 and 2 and y == 3", Filter.Between("x", 1, 2) & Filter.Equal("y", 3)),
        new TestCaseData("x in (1, 2.5,3)", Filter.In("x", 1, 2.5, 3)),
        new TestCaseData("lang == 'en' or lang == \"de\"", Filter.In("lang", "de", "en")),
        new TestCaseData("lang == '\\u00e9\\n\\'\\\"\\\\'", Filter.Equal("lang", "é\n'\"\\")),
        new TestCaseData("lang == '\\uD83D\\ude00'", Filter.Equal("lang", "😀")),
        new TestCaseData("lang == 'a\0b'", Filter.Equal("lang", "a\0b")),
        new TestCaseData("name starts_with 'Mo'", Filter.StartsWith("name", "Mo")),
        new TestCaseData("tags contains 'a'", Filter.Contains("tags", "a")),
        new TestCaseData("tags contains_any ('a', 'b')", Filter.ContainsAny("tags", "a", "b")),
        new TestCaseData("tags contains_all ('a', 'b')", Filter.ContainsAll("tags", "a", "b")),
        new TestCaseData("exists größe_2", Filter.Exists("größe_2")),
        new TestCaseData("[and] == 1 and [a \\] b] == 2", Filter.Equal("and", 1) & Filter.Equal("a ] b", 2)),
        new TestCaseData("time > time'2024-05-06'", Filter.GreaterThan("time", new DateTimeOffset(2024, 5, 6, 0, 0, 0, TimeSpan.Zero))),
        new TestCaseData(
            "t > time'2024-05-06T12:30:01.5+02:00'",
            Filter.GreaterThan("t", new DateTimeOffset(2024, 5, 6, 10, 30, 1, 500, TimeSpan.Zero))),
        new TestCaseData(
            "t > time'2024-05-06T12:30Z'", Filter.GreaterThan("t", new DateTimeOffset(2024, 5, 6, 12, 30, 0, TimeSpan.Zero))),
        new TestCaseData(
            "id == guid'00112233-4455-6677-8899-AABBCCDDEEFF'",
            Filter.Equal("id", new Guid("00112233-4455-6677-8899-aabbccddeeff"))),
        new TestCaseData("not a == 1 and b == 2", !Filter.Equal("a", 1) & Filter.Equal("b", 2)),
        new TestCaseData("not (a == 1 and b == 2)", !(Filter.Equal("a", 1) & Filter.Equal("b", 2))),
        new TestCaseData("not not not exists a", !Filter.Exists("a")),
        new TestCaseData("a == 1 or b == 2 and c == 3", Filter.Equal("a", 1) | (Filter.Equal("b", 2) & Filter.Equal("c", 3))),
        new TestCaseData("(a == 1 or b == 2) and c == 3", (Filter.Equal("a", 1) | Filter.Equal("b", 2)) & Filter.Equal("c", 3)),
        new TestCaseData("((a == 1))", Filter.Equal("a", 1)),
        new TestCaseData(new string('(', 64) + "a == 1" + new string(')', 64), Filter.Equal("a", 1)),
        new TestCaseData(string.Concat(Enumerable.Repeat("not ", 64)) + "a == 1", Filter.Equal("a", 1)),
        new TestCaseData(string.Concat(Enumerable.Repeat("not (", 32)) + "a == 1" + new string(')', 32), Filter.Equal("a", 1)),
        new TestCaseData(_tokens4096[..^3], Filter.Equal("a", 1)),
    ];

    private static IEnumerable<TestCaseData> Errors =>
    [
        new TestCaseData("", 0, "expected the name of an attribute, 'not', 'exists' or '(', found the end at position 0"),
        new TestCaseData("year", 4, "expected a comparison: ==, !=, <"),
        new TestCaseData("year = 3", 5, "expected a word, a sign or a value, found '=' at position 5"),
        new TestCaseData("year == ", 8, "expected a value: a number"),
        new TestCaseData(
            "year == lang", 8, "expected a value: a number, a text in quotes, true, false, time'...' or guid'...', found 'lang'"),
        new TestCaseData("3 == year", 0, "expected the name of an attribute, 'not', 'exists' or '(', found '3'"),
        new TestCaseData("a == 1 b == 2", 7, "expected 'and', 'or' or the end, found 'b'"),
        new TestCaseData("a == 1 AND b == 2", 7, "expected 'and', 'or' or the end, found 'AND'"),
        new TestCaseData("(a == 1", 7, "expected 'and', 'or', or the ')' of the '(' at 0, found the end at position 7"),
        new TestCaseData("a == 1)", 6, "expected 'and', 'or' or the end, found ')'"),
        new TestCaseData("a == 1 and", 10, "found the end"),
        new TestCaseData("and == 1", 0, "an attribute of this name is written [and]"),
        new TestCaseData("a in ()", 6, "expected a value: a number"),
        new TestCaseData("a in (1,)", 8, "expected a value: a number"),
        new TestCaseData("a in (1 2)", 8, "expected ',' or ')', found '2'"),
        new TestCaseData("a in 1", 5, "expected '(' and a list of values"),
        new TestCaseData("a not in (1)", 2, "expected a comparison"),
        new TestCaseData("a between 1 or 2", 12, "expected 'and' and the upper end"),
        new TestCaseData(
            "a between 1 and 'x'", 0,
            "expected values that can be compared with each other, found the Int64 1 beside the String x"),
        new TestCaseData("a < true", 0, "expected a number, a text or a time as the end of a range"),
        new TestCaseData("tags contains 1", 14, "expected a text in quotes, found '1'"),
        new TestCaseData("a == 'x", 5, "expected a ' that closes what begins here, found the end of the text"),
        new TestCaseData("[a == 1", 0, "expected a ] that closes what begins here"),
        new TestCaseData("[] == 1", 0, "Expected the name of an attribute, of 1 to 128 bytes"),
        new TestCaseData("a == '\\x'", 6, "expected one of"),
        new TestCaseData("a == 'x\\", 7, "expected one of"),
        new TestCaseData("a == '\\u12'", 6, "expected one of"),
        new TestCaseData("a == '\uD800'", 5, "expected a text, found half of a surrogate pair in place 0"),
        new TestCaseData("a == '\\uD800'", 5, "expected a text, found half of a surrogate pair in place 0"),
        new TestCaseData("\uDC00 == 1", 0, "expected a word, a sign or a value, found '\\uDC00'"),
        new TestCaseData("a == \0", 5, "expected a word, a sign or a value, found '\\u0000'"),
        new TestCaseData("a == 1e999", 5, "expected a finite number, found '1e999'"),
        new TestCaseData("a == NaN", 5, "expected a value"),
        new TestCaseData("a == 9223372036854775808", 5, "expected an integer of 64 bits, or a number with a decimal point or an exponent"),
        new TestCaseData("a == -9223372036854775809", 5, "expected an integer of 64 bits"),
        new TestCaseData("a == 1.", 5, "expected a number, found '1.'"),
        new TestCaseData("a == 1x", 5, "expected a number, found '1x'"),
        new TestCaseData("a == -", 5, "expected a number, found '-'"),
        new TestCaseData("a == --1", 5, "expected a number, found '-'"),
        new TestCaseData("a == 1e+-2", 5, "expected a number"),
        new TestCaseData("a == time'2024-13-01'", 5, "expected a time such as"),
        new TestCaseData("a == time'0001-01-01T00:00+14:00'", 5, "expected a time such as"),
        new TestCaseData("a == guid'123'", 5, "expected a Guid such as"),
        new TestCaseData(
            new string('(', 65) + "a == 1" + new string(')', 65), 64, "expected at most 64 levels of '(' and 'not', found one more"),
        new TestCaseData(string.Concat(Enumerable.Repeat("not ", 65)) + "a == 1", 256, "expected at most 64 levels"),
        new TestCaseData(_tokens4096 + " a == 1", 10240, "expected at most 4096 words, signs and values, found more at position 10240"),
        new TestCaseData(new string('(', 1 << 20), 1 << 20, "expected a text of at most 16384 bytes of UTF-8, found 1048576"),
        new TestCaseData(new string('!', 1 << 20), 1 << 20, "expected a text of at most 16384 bytes"),
        new TestCaseData(string.Concat(Enumerable.Repeat("a and", 1 << 18)), 5 << 18, "expected a text of at most 16384 bytes"),
        new TestCaseData(new string('(', 16_384), 64, "expected at most 64 levels"),
        new TestCaseData("a == '" + new string('é', 8_200) + "'", 8_207, "expected a text of at most 16384 bytes of UTF-8, found 16407"),
    ];

    [TestCaseSource(nameof(Meanings))]
    public void A_text_is_a_filter(string text, Filter expected)
    {
        using (Assert.EnterMultipleScope())
        {
            Assert.That(Filter.Parse(text), Is.EqualTo(expected));
            Assert.That(Filter.Parse(expected.ToString()), Is.EqualTo(expected));
        }
    }

    [TestCaseSource(nameof(Errors))]
    public void A_text_that_is_no_filter_is_refused_with_the_place_and_what_was_expected(string text, int position, string message) =>
        Assert.That(
            () => Filter.Parse(text),
            Throws.TypeOf<InvalidFilterException>().With.Message.Contains(message)
                .And.Property(nameof(InvalidFilterException.Position)).EqualTo(position));

    [Test]
    public void A_filter_that_is_no_text_has_no_position() =>
        Assert.That(
            () => Filter.Exists(""),
            Throws.TypeOf<InvalidFilterException>().With.Property(nameof(InvalidFilterException.Position)).Null);
}
