namespace VectorPipe.Building.Clusters;

/// <summary>Numbers in ascending order, for kernels that take row numbers.</summary>
internal static class Sequence
{
    /// <summary>0 .. count-1.</summary>
    public static int[] Of(int count) => Of(0, count);

    /// <summary>first .. first+count-1.</summary>
    public static int[] Of(int first, int count)
    {
        int[] numbers = new int[count];
        for (int i = 0; i < count; i++)
            numbers[i] = first + i;
        return numbers;
    }
}
