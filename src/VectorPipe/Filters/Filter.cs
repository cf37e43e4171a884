using System.Diagnostics.CodeAnalysis;
using System.Linq.Expressions;
using VectorPipe.Filters.Algebra;
using VectorPipe.Filters.Binding;
using VectorPipe.Filters.Expressions;
using VectorPipe.Filters.Text;

namespace VectorPipe;

/// <summary>A condition on the attributes of a record. Immutable and thread-safe.</summary>
/// <remarks>
/// <para>Filters are made by the methods here, which <c>&amp;</c>, <c>|</c> and <c>!</c> combine, from a text (<see cref="Parse"/>), or
/// from a lambda expression (<see cref="From"/>). <c>docs/filters.md</c> describes the language.</para>
/// <para>Numbers are compared by their mathematical values, whether int64 or double; texts by the bytes of their UTF-8; times as instants.
/// A comparison with a missing value is false, also "not equal"; <c>!</c> turns false into true. A NaN that is stored is equal to nothing
/// and in no range.</para>
/// <para>Names and types are checked against the schema where the filter is used. Filters have a canonical form: two that differ only in
/// order, repetition, negations of negations, or in the way in which ranges of an attribute are put together are equal.</para>
/// </remarks>
/// <example><c>Filter.Between("year", 1980, 1990) &amp; !Filter.Contains("tags", "draft")</c></example>
public sealed class Filter : IEquatable<Filter>
{
    private Filter(FilterNode node) => Node = node;

    /// <summary>Every record.</summary>
    public static Filter All { get; } = new(ConstantNode.True);

    /// <summary>No record.</summary>
    public static Filter None { get; } = new(ConstantNode.False);

    /// <summary>The canonical form.</summary>
    internal FilterNode Node { get; }

    /// <summary>Records that match both filters.</summary>
    /// <param name="left">A filter.</param>
    /// <param name="right">Another.</param>
    /// <exception cref="InvalidFilterException">The filter has more than 64 levels.</exception>
    public static Filter operator &(Filter left, Filter right) => Combine(left, right, isAnd: true);

    /// <summary>Records that match one filter or both.</summary>
    /// <param name="left">A filter.</param>
    /// <param name="right">Another.</param>
    /// <exception cref="InvalidFilterException">The filter has more than 64 levels.</exception>
    public static Filter operator |(Filter left, Filter right) => Combine(left, right, isAnd: false);

    /// <summary>Records that do not match a filter.</summary>
    /// <param name="filter">The filter.</param>
    public static Filter operator !(Filter filter)
    {
        ArgumentNullException.ThrowIfNull(filter);
        return new(filter.Node.Negate());
    }

    /// <summary>Whether two filters have the same canonical form.</summary>
    /// <param name="left">A filter.</param>
    /// <param name="right">Another.</param>
    public static bool operator ==(Filter? left, Filter? right) => left is null ? right is null : left.Equals(right);

    /// <summary>Whether two filters have different canonical forms.</summary>
    /// <param name="left">A filter.</param>
    /// <param name="right">Another.</param>
    public static bool operator !=(Filter? left, Filter? right) => !(left == right);

    /// <summary>The attribute has a value.</summary>
    /// <param name="attribute">Its name.</param>
    /// <exception cref="InvalidFilterException">The name has not 1 to 128 bytes of UTF-8.</exception>
    public static Filter Exists(string attribute) => new(Comparisons.Exists(attribute));

    /// <summary>The attribute has this value.</summary>
    /// <param name="attribute">Its name.</param>
    /// <param name="value">The value.</param>
    /// <exception cref="InvalidFilterException">The value is a set, NaN, infinite or no text, or the name is none.</exception>
    public static Filter Equal(string attribute, AttributeValue value) => new(Comparisons.Equal(attribute, value));

    /// <summary>The attribute has a value, and it is another.</summary>
    /// <inheritdoc cref="Equal" path="/param"/>
    /// <inheritdoc cref="Equal" path="/exception"/>
    public static Filter NotEqual(string attribute, AttributeValue value) => new(Comparisons.NotEqual(attribute, value));

    /// <summary>The attribute is less than a value.</summary>
    /// <param name="attribute">Its name.</param>
    /// <param name="value">A number, a text or a time.</param>
    /// <exception cref="InvalidFilterException">The value has no order, is NaN, infinite or no text, or the name is none.</exception>
    public static Filter LessThan(string attribute, AttributeValue value) => new(Comparisons.LessThan(attribute, value));

    /// <summary>The attribute is less than a value or equal to it.</summary>
    /// <inheritdoc cref="LessThan" path="/param"/>
    /// <inheritdoc cref="LessThan" path="/exception"/>
    public static Filter LessThanOrEqual(string attribute, AttributeValue value) => new(Comparisons.LessThanOrEqual(attribute, value));

    /// <summary>The attribute is greater than a value.</summary>
    /// <inheritdoc cref="LessThan" path="/param"/>
    /// <inheritdoc cref="LessThan" path="/exception"/>
    public static Filter GreaterThan(string attribute, AttributeValue value) => new(Comparisons.GreaterThan(attribute, value));

    /// <summary>The attribute is greater than a value or equal to it.</summary>
    /// <inheritdoc cref="LessThan" path="/param"/>
    /// <inheritdoc cref="LessThan" path="/exception"/>
    public static Filter GreaterThanOrEqual(string attribute, AttributeValue value) =>
        new(Comparisons.GreaterThanOrEqual(attribute, value));

    /// <summary>The attribute is in a range, both ends included; nothing is in a range that falls.</summary>
    /// <param name="attribute">Its name.</param>
    /// <param name="low">The lower end: a number, a text or a time.</param>
    /// <param name="high">The upper end.</param>
    /// <exception cref="InvalidFilterException">An end has no order, is NaN, infinite or no text, or the name is none.</exception>
    public static Filter Between(string attribute, AttributeValue low, AttributeValue high) =>
        new(Comparisons.Between(attribute, low, high));

    /// <summary>The attribute has one of several values; of no values, none.</summary>
    /// <param name="attribute">Its name.</param>
    /// <param name="values">The values, which can be compared with each other.</param>
    /// <exception cref="InvalidFilterException">A value is a set, NaN, infinite or no text, or the name is none.</exception>
    public static Filter In(string attribute, params IEnumerable<AttributeValue> values) => new(Comparisons.In(attribute, values));

    /// <summary>The attribute is a text that starts with another, compared without a culture.</summary>
    /// <param name="attribute">Its name.</param>
    /// <param name="prefix">How it starts.</param>
    /// <exception cref="InvalidFilterException">The prefix has half of a surrogate pair, or the name is none.</exception>
    public static Filter StartsWith(string attribute, string prefix) => new(Comparisons.StartsWith(attribute, prefix));

    /// <summary>The attribute is a set of strings that contains one.</summary>
    /// <param name="attribute">Its name.</param>
    /// <param name="item">The string.</param>
    /// <exception cref="InvalidFilterException">The string has half of a surrogate pair, or the name is none.</exception>
    public static Filter Contains(string attribute, string item) => new(Comparisons.Contains(attribute, [item], isAll: false));

    /// <summary>The attribute is a set of strings that contains one of several or more; of no strings, none.</summary>
    /// <param name="attribute">Its name.</param>
    /// <param name="items">The strings.</param>
    /// <exception cref="InvalidFilterException">A string has half of a surrogate pair or is null, or the name is none.</exception>
    public static Filter ContainsAny(string attribute, params IEnumerable<string> items) =>
        new(Comparisons.Contains(attribute, items, isAll: false));

    /// <summary>The attribute is a set of strings that contains several; every set that is there contains all of no strings.</summary>
    /// <inheritdoc cref="ContainsAny" path="/param"/>
    /// <inheritdoc cref="ContainsAny" path="/exception"/>
    public static Filter ContainsAll(string attribute, params IEnumerable<string> items) =>
        new(Comparisons.Contains(attribute, items, isAll: true));

    /// <summary>Reads a filter from its text.</summary>
    /// <param name="text">
    /// The text, for example <c>year between 1980 and 1990 and not tags contains "draft"</c>: at most 16 KiB of UTF-8, 4,096 words, signs
    /// and values, and 64 levels of parentheses and negations.
    /// </param>
    /// <exception cref="InvalidFilterException">The text is no filter: the message says where, and what was expected.</exception>
    public static Filter Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return new(FilterParser.Parse(text));
    }

    /// <summary>Makes a filter of a lambda expression over a model of the records; it is read, never compiled.</summary>
    /// <remarks>
    /// Members of the record stand for the attributes of their names. Understood are comparisons of a member with a value that does not
    /// depend on the record, <c>&amp;&amp;</c>, <c>||</c>, <c>!</c>, null and <c>HasValue</c> for presence, <c>StartsWith</c>,
    /// <c>values.Contains(record.Member)</c>, <c>record.Tags.Contains(value)</c>, and <c>Any</c> and <c>All</c> of values that
    /// <c>record.Tags</c> contains. Missing values are as in all filters: unlike in C#, a comparison with one is false.
    /// </remarks>
    /// <typeparam name="TRecord">The model: properties or fields for the attributes. No object of it is made.</typeparam>
    /// <param name="condition">The condition, for example <c>record =&gt; record.Year &gt;= 1980</c>.</param>
    /// <param name="toAttribute">The name of the attribute for that of a member; null if they are the same.</param>
    /// <exception cref="InvalidFilterException">A part of the expression is not understood; the message shows it.</exception>
    public static Filter From<TRecord>(Expression<Func<TRecord, bool>> condition, Func<string, string>? toAttribute = null)
    {
        ArgumentNullException.ThrowIfNull(condition);
        return new(new ExpressionReader(condition, toAttribute ?? (name => name)).Read());
    }

    /// <inheritdoc/>
    public bool Equals([NotNullWhen(true)] Filter? other) => other is not null && Node.Equals(other.Node);

    /// <inheritdoc/>
    public override bool Equals([NotNullWhen(true)] object? obj) => Equals(obj as Filter);

    /// <inheritdoc/>
    public override int GetHashCode() => Node.GetHashCode();

    /// <summary>A text from which <see cref="Parse"/> reads an equal filter, if it is within the limits of texts.</summary>
    public override string ToString() => FilterPrinter.Print(Node);

    /// <summary>The filter for records of a schema.</summary>
    /// <exception cref="InvalidFilterException">The schema has no such attribute, or one of another type.</exception>
    internal BoundFilter Bind(CollectionSchema schema) => FilterBinder.Bind(Node, schema);

    private static Filter Combine(Filter left, Filter right, bool isAnd)
    {
        ArgumentNullException.ThrowIfNull(left);
        ArgumentNullException.ThrowIfNull(right);
        return new(GroupNode.Of(isAnd, [left.Node, right.Node]));
    }
}
