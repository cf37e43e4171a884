using System.Text;
using NUnit.Framework;

namespace VectorPipe.Tests.Filters;

/// <summary>Mutated texts are a filter or a typed error with a place, and cost little memory.</summary>
public sealed class FilterFuzzTests
{
    private const int Seed = 77;
    private const long AllocatedBytesMax = 16 << 20;

    private static readonly string[] _pieces =
    [
        "(", ")", ",", "==", "!=", "<", "<=", ">", ">=", "=", " ", "not ", "and ", "or ", "in (", "between 1 and 2", "exists ", "contains ",
        "contains_any (", "contains_all (", "starts_with ", "a", "[b c]", "tags", "1", "-1", "1.5", "1e999", "9223372036854775808", "'x'",
        "\"y\"", "'", "\"", "[", "]", "\\", "\\u", "\\uD800", "\0", "\uD800", "\uDC00", "é", "😀", "true", "false", "NaN",
        "time'2024-01-01'", "time'", "guid'00112233-4455-6677-8899-aabbccddeeff'", "guid'", "null", "~",
    ];

    [Test]
    public void A_mutated_text_is_a_filter_or_a_typed_error() => Check(Seed, 2_000);

    [Test]
    [Category("Heavy")]
    public void Many_mutated_texts_are_filters_or_typed_errors([Range(1, 10)] int seed) => Check(seed, 10_000);

    private static void Check(int seed, int count)
    {
        var random = new Random(seed);
        var filters = new RandomFilters(random);
        CollectionSchema schema = filters.NextSchema();
        int parsed = 0;
        for (int i = 0; i < count; i++)
        {
            string text = Mutate(random, filters.Next(schema, random.Next(5)).Filter.ToString());
            string place = $"text {i}, seed {seed}: {Convert.ToHexString(Encoding.BigEndianUnicode.GetBytes(text))}";
            long before = GC.GetAllocatedBytesForCurrentThread();
            try
            {
                Filter filter = Filter.Parse(text);
                parsed++;
                Assert.That(Filter.Parse(filter.ToString()), Is.EqualTo(filter), place);
            }
            catch (InvalidFilterException e)
            {
                Assert.That(e.Position, Is.InRange(0, text.Length), place);
            }
            catch (Exception e) when (e is not AssertionException)
            {
                Assert.Fail($"{place}: {e}");
            }

            Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(AllocatedBytesMax), place);
        }

        Assert.That(parsed, Is.InRange(count / 20, count - (count / 20)), "texts that all parse, or none, prove little");
    }

    private static string Mutate(Random random, string text)
    {
        var mutant = new StringBuilder(text);
        for (int i = random.Next(4); i > 0; i--)
        {
            int at = random.Next(mutant.Length + 1);
            int length = random.Next(Math.Min(8, mutant.Length - at + 1));
            switch (random.Next(4))
            {
                case 0:
                    mutant.Insert(at, _pieces[random.Next(_pieces.Length)]);
                    break;
                case 1:
                    mutant.Remove(at, length);
                    break;
                case 2:
                    mutant.Insert(random.Next(mutant.Length + 1), mutant.ToString(at, length));
                    break;
                default:
                    mutant.Insert(at, (char)random.Next(0x1_0000));
                    break;
            }
        }

        return mutant.ToString();
    }
}
