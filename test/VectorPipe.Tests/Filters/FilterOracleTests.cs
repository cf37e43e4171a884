using NUnit.Framework;
using VectorPipe.Collections.Attributes;
using VectorPipe.Filters.Binding;

namespace VectorPipe.Tests.Filters;

/// <summary>Random filters over random records agree with a naive evaluation, and keep the laws of an algebra.</summary>
public sealed class FilterOracleTests
{
    private const int Seed = 2024;
    private const int Rows = 12;

    [Test]
    public void Random_filters_match_what_a_naive_evaluation_matches() => Check(Seed, 2_000);

    [Test]
    [Category("Heavy")]
    public void Many_random_filters_match_what_a_naive_evaluation_matches([Range(1, 20)] int seed) => Check(seed, 10_000);

    [Test]
    public void The_laws_of_an_algebra_hold_for_canonical_forms()
    {
        var random = new Random(Seed);
        var filters = new RandomFilters(random);
        CollectionSchema schema = filters.NextSchema();
        for (int i = 0; i < 2_000; i++)
        {
            Filter a = filters.Next(schema, random.Next(3)).Filter;
            Filter b = filters.Next(schema, random.Next(3)).Filter;
            string place = $"{a} / {b}, filters {i}, seed {Seed}";
            using (Assert.EnterMultipleScope())
            {
                Assert.That(!!a, Is.EqualTo(a), place);
                Assert.That(!(a & b), Is.EqualTo(!a | !b), place);
                Assert.That(!(a | b), Is.EqualTo(!a & !b), place);
                Assert.That(a & b, Is.EqualTo(b & a), place);
                Assert.That(a | b, Is.EqualTo(b | a), place);
                Assert.That(a & a, Is.EqualTo(a), place);
                Assert.That(a & Filter.All, Is.EqualTo(a), place);
                Assert.That(a | Filter.None, Is.EqualTo(a), place);
                Assert.That(a & Filter.None, Is.EqualTo(Filter.None), place);
                Assert.That((a & b).GetHashCode(), Is.EqualTo((b & a).GetHashCode()), place);
            }
        }
    }

    private static void Check(int seed, int count)
    {
        var random = new Random(seed);
        var filters = new RandomFilters(random);
        CollectionSchema schema = filters.NextSchema();
        var codec = new AttributeCodec(schema);
        int matched = 0;
        for (int i = 0; i < count; i++)
        {
            if (i % 100 == 99)
            {
                schema = filters.NextSchema();
                codec = new AttributeCodec(schema);
            }

            (Filter filter, NaiveFilter naive) = filters.Next(schema, random.Next(6));
            string place = $"{filter}, filter {i}, seed {seed}";
            Assert.That(Filter.Parse(filter.ToString()), Is.EqualTo(filter), place);
            BoundFilter bound = filter.Bind(schema);
            for (int j = 0; j < Rows; j++)
            {
                AttributeSet row = filters.NextRow(schema);
                bool expected = naive.Matches(row);
                matched += expected ? 1 : 0;
                if (bound.Matches(row) == expected && codec.TryMatch(bound, codec.Encode(row), out bool isMatch) && isMatch == expected)
                    continue;
                Assert.Fail(
                    $"{place}: expected {expected} for {string.Join(", ", row.Select(pair => $"{pair.Key}={pair.Value}"))}; in memory "
                    + $"{bound.Matches(row)}");
            }
        }

        Assert.That(matched, Is.InRange(count * Rows / 4, count * Rows * 3 / 4), "filters that match everything or nothing prove little");
    }
}
