using System.Linq.Expressions;
using NUnit.Framework;

namespace VectorPipe.Tests.Filters;

/// <summary>Lambda expressions as filters.</summary>
public sealed class FilterExpressionTests
{
    private static readonly int[] _years = [2, 1];
    private static readonly string[] _tags = ["b", "a"];
    private static readonly List<long?> _some = [1, 2];
    private static readonly long _limit = 7;
    private static readonly int _three = 3;

    private static TestCaseData[] Comparisons =>
    [
        Of(book => book.Year == 3, "Year == 3"),
        Of(book => _three < book.Year, "Year > 3"),
        Of(book => book.Year >= _limit && book.Price < 0.5, "Year >= 7 and Price < 0.5"),
        Of(book => book.Price > _three, "Price > 3"),
        Of(book => book.Year > 1.5, "Year > 1.5"),
        Of(book => book.Small == _three, "Small == 3"),
        Of(book => book.Kind == BookKind.Novel || book.Kind != BookKind.Poem, "Kind == 1 or Kind != 2"),
        Of(book => book.Id == Guid.Empty, "Id == guid'00000000-0000-0000-0000-000000000000'"),
        Of(book => book.Written < new DateTimeOffset(1970, 1, 2, 0, 0, 0, TimeSpan.Zero), "Written < time'1970-01-02'"),
        Of(book => book.Year == 1 | book.Year == 2 & book.IsDraft, "Year == 1 or Year == 2 and IsDraft == true"),
    ];

    private static TestCaseData[] TruthAndPresence =>
    [
        Of(book => true, "true"),
        Of(book => book.IsDraft, "IsDraft == true"),
        Of(book => book.IsDraft == false, "IsDraft == false"),
        Of(book => !book.IsDraft && book.Title != null, "not IsDraft == true and exists Title"),
        Of(book => book.Stars.HasValue, "exists Stars"),
        Of(book => book.Stars == null, "not exists Stars"),
        Of(book => book.Stars > 2, "Stars > 2"),
        Of(book => book.Stars!.Value != _three, "Stars != 3"),
    ];

    private static readonly SortedSet<string> _ordinal = new(StringComparer.Ordinal) { "a", "b" };
    private static readonly HashSet<string> _anyCase = new(StringComparer.OrdinalIgnoreCase) { "a" };

    private static TestCaseData[] TextsAndSets =>
    [
        Of(book => book.Title!.StartsWith("Mo"), "Title starts_with 'Mo'"),
        Of(book => book.Title!.StartsWith("Mo", StringComparison.Ordinal), "Title starts_with 'Mo'"),
        Of(book => book.Title!.StartsWith('M'), "Title starts_with 'M'"),
        Of(book => _years.Contains(book.Year), "Year in (1, 2)"),
        Of(book => new[] { 1, 2 }.Contains(book.Year), "Year in (1, 2)"),
        Of(book => _some.Contains(book.Stars), "Stars in (1, 2)"),
        Of(book => _tags.Contains(book.Title), "Title in ('a', 'b')"),
        Of(book => _ordinal.Contains(book.Title!), "Title in ('a', 'b')"),
        Of(book => book.Tags.Contains("a"), "Tags contains 'a'"),
        Of(book => _tags.Any(tag => book.Tags.Contains(tag)), "Tags contains_any ('a', 'b')"),
        Of(book => book.Tags.Any(tag => _tags.Contains(tag)), "Tags contains_any ('a', 'b')"),
        Of(book => _tags.All(tag => book.Tags.Contains(tag)), "Tags contains_all ('a', 'b')"),
    ];

    private static TestCaseData[] CapturedValues
    {
        get
        {
            int captured = 3;
            var holder = new { Inner = new { Text = "x" } };
            DateTimeOffset now = DateTimeOffset.UnixEpoch;
            return
            [
                Of(book => captured < book.Year, "Year > 3"),
                Of(book => !(book.Title == holder.Inner.Text), "not Title == \"x\""),
                Of(book => book.Written > now.AddDays(1), "Written > time'1970-01-02T00:00:00Z'"),
            ];
        }
    }

    private static TestCaseData[] UnknownOperations =>
    [
        Of(book => book.Title!.Length == 3, "found '(book.Title.Length == 3)' (Equal)"),
        Of(book => book.Year + 1 == 3, "(book.Year + 1)"),
        Of(book => (byte)book.Year == 1, "Convert"),
        Of(book => book.Year == 3 ? book.IsDraft : true, "(Conditional)"),
        Of(book => book.Title!.Contains("xy"), "expected StartsWith, Contains, or Any and All"),
        Of(book => book.Title!.EndsWith("xy"), "expected StartsWith, Contains"),
        Of(
            book => book.Title!.StartsWith("x", StringComparison.OrdinalIgnoreCase),
            "found 'book.Title.StartsWith(\"x\", OrdinalIgnoreCase)' (Call)"),
        Of(book => _anyCase.Contains(book.Title!), "expected a set that compares texts by their characters (ordinal)"),
        Of(book => book.Tags.Any(tag => _anyCase.Contains(tag)), "expected a set that compares texts by their characters (ordinal)"),
        Of(book => book.Tags.Any(), "expected StartsWith, Contains"),
        Of(book => book.Tags.All(tag => _tags.Contains(tag)), "expected StartsWith, Contains"),
    ];

    private static TestCaseData[] BadValues
    {
        get
        {
            int zero = 0;
            string? nothing = null;
            long? unset = null;
            return
            [
                Of(book => book.Year == zero + 1, "put other values into a variable"),
                Of(
                    book => book.Year == book.Small,
                    "a value that does not depend on the record, found '(book.Year == Convert(book.Small, Int32))'"),
                Of(book => book.Year == nothing!.Length, "expected a member of an object, not of null"),
                Of(book => book.Written > DateTimeOffset.UnixEpoch.AddDays(1e300), "fails: "),
                Of(book => book.Stars > unset, "expected a value to compare with"),
                Of(
                    book => book.Money > 1.5m,
                    "a value of an attribute's type (bool, an integer, double, string, Guid, DateTimeOffset), not Decimal"),
            ];
        }
    }

    [TestCaseSource(nameof(Comparisons))]
    [TestCaseSource(nameof(TruthAndPresence))]
    [TestCaseSource(nameof(TextsAndSets))]
    [TestCaseSource(nameof(CapturedValues))]
    public void An_expression_is_a_filter(Expression<Func<Book, bool>> condition, string text) =>
        Assert.That(Filter.From(condition), Is.EqualTo(Filter.Parse(text)));

    [TestCaseSource(nameof(UnknownOperations))]
    [TestCaseSource(nameof(BadValues))]
    public void A_part_that_is_not_understood_is_refused_and_shown(Expression<Func<Book, bool>> condition, string message) =>
        Assert.That(() => Filter.From(condition), Throws.TypeOf<InvalidFilterException>().With.Message.Contains(message));

    [Test]
    public void Names_of_attributes_come_from_those_of_members() =>
        Assert.That(
            Filter.From<Book>(book => book.Year > 3 && book.Tags.Contains("a"), name => name.ToLowerInvariant()),
            Is.EqualTo(Filter.Parse("year > 3 and tags contains 'a'")));

    [Test]
    public void Long_chains_are_filters_and_deep_expressions_are_refused()
    {
        ParameterExpression book = Expression.Parameter(typeof(Book), "book");
        Expression condition = Expression.Equal(Expression.Property(book, nameof(Book.Year)), Expression.Constant(0));
        Expression chain = condition;
        Expression deep = condition;
        for (int i = 1; i < 20_000; i++)
        {
            if (i < 2_000)
                chain = Expression.OrElse(
                    chain, Expression.Equal(Expression.Property(book, nameof(Book.Year)), Expression.Constant(i)));
            deep = Expression.Not(deep);
        }

        using (Assert.EnterMultipleScope())
        {
            Assert.That(
                Filter.From(Expression.Lambda<Func<Book, bool>>(chain, book)),
                Is.EqualTo(Filter.In("Year", Enumerable.Range(0, 2_000).Select(year => (AttributeValue)year))));
            Assert.That(
                () => Filter.From(Expression.Lambda<Func<Book, bool>>(deep, book)),
                Throws.TypeOf<InvalidFilterException>().With.Message.Contains("at most 64 levels"));
        }
    }

    private static TestCaseData Of(Expression<Func<Book, bool>> condition, string text) =>
        new TestCaseData(condition, text).SetArgDisplayNames(text);
}
